import type { Job } from "./job.js";
import type { Repository } from "./repository.js";

/** The jobs that an event started. */
export interface Pipeline {
  jobs: readonly Job[];
  /** Ends when no job runs any more. */
  ended: Promise<void>;
}

/** What happens to a repository on GitHub or GitLab. Each event runs the jobs of the commit that is checked out. */
export interface Service {
  pullRequest: (repository: Repository, options?: { fork?: boolean }) => Promise<Pipeline>;
  merge: (repository: Repository) => Promise<Pipeline>;
  schedule: (repository: Repository) => Promise<Pipeline>;
  /** A person starts the job that undoes what was changed in the dashboard. */
  restore: (repository: Repository) => Promise<Pipeline>;
  /** A person cancels a job in the browser. */
  cancel: (job: Job) => Promise<void>;
}
