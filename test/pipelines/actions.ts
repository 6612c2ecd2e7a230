/** The actions that the workflows use: what their action.yml declares at the commit of the release. */
export const ACTIONS: Record<string, { commit: string; release: string; inputs: readonly string[] }> = {
  "actions/checkout": {
    commit: "3d3c42e5aac5ba805825da76410c181273ba90b1",
    release: "v7.0.1",
    inputs: (
      "repository ref token ssh-key ssh-known-hosts ssh-strict ssh-user persist-credentials path clean filter " +
      "sparse-checkout sparse-checkout-cone-mode fetch-depth fetch-tags show-progress lfs submodules " +
      "set-safe-directory github-server-url allow-unsafe-pr-checkout"
    ).split(" "),
  },
  "actions/setup-node": {
    commit: "820762786026740c76f36085b0efc47a31fe5020",
    release: "v7.0.0",
    inputs: (
      "node-version node-version-file architecture check-latest registry-url scope token cache " +
      "package-manager-cache cache-dependency-path mirror mirror-token"
    ).split(" "),
  },
  "pulumi/actions": {
    commit: "8e5e406f4007fca908480587cb9893c07090f58d",
    release: "v7.0.0",
    inputs: (
      "command stack-name pulumi-version pulumi-version-file work-dir comment-on-pr comment-on-pr-number " +
      "comment-on-summary github-token cloud-url secrets-provider parallel message config-map expect-no-changes diff " +
      "replace exclude exclude-dependents target target-dependents policyPacks policyPackConfigs refresh upsert " +
      "remove edit-pr-comment color exclude-protected plan suppress-outputs suppress-progress " +
      "always-include-summary continue-on-error log-verbosity log-flow debug"
    ).split(" "),
  },
  "aws-actions/configure-aws-credentials": {
    commit: "e6de054238d6b7531b4efff3b6587d9aade6a06c",
    release: "v6.2.3",
    inputs: (
      "aws-region aws-profile overwrite-aws-profile role-to-assume aws-access-key-id aws-secret-access-key " +
      "aws-session-token web-identity-token-file role-chaining audience http-proxy no-proxy mask-aws-account-id " +
      "role-duration-seconds role-external-id role-session-name role-skip-session-tagging transitive-tag-keys " +
      "inline-session-policy managed-session-policies output-credentials output-env-credentials " +
      "unset-current-credentials disable-retry retry-max-attempts special-characters-workaround " +
      "use-existing-credentials allowed-account-ids force-skip-oidc action-timeout-s custom-tags sts-endpoint"
    ).split(" "),
  },
};
