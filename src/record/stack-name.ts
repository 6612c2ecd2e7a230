/** What the engine names as the organization in a backend that has none: a bucket, a folder or a database. A service may have one of that name. */
export const NO_ORGANIZATION = "organization";

/** The one name of a stack. It is found once, and passed on: to the CLI, `dev` is the default organization's, whichever is selected. */
export interface StackName {
  /** Undefined if the project's folder says all that the CLI needs: in a backend that has no organizations. */
  organization: string | undefined;
  project: string;
  stack: string;
}

/** Parses the name of a stack as the CLI reads it in a project: `<stack>`, `<organization>/<stack>` or `<organization>/<project>/<stack>`. */
export function parseStackName(text: string, project: string): StackName {
  const [stack = "", ...before] = text.split("/").reverse();
  const [of = project, organization] = before.length === 1 ? [project, before[0]] : before;
  return { organization, project: of, stack };
}

/** Writes the name of a stack for a person, and for the option `--stack`: in full if the short one may mean another stack. */
export function printStackName({ organization, project, stack }: StackName): string {
  return organization === undefined ? stack : `${organization}/${project}/${stack}`;
}
