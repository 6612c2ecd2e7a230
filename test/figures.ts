import type { TestContext } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** What a test tried, and what came of it. */
    figures?: string;
  }
}

/** Reports what a test tried, and what came of it, in one line. npm run chaos prints these lines at its end. */
export function report({ task }: TestContext, figures: string): void {
  task.meta.figures = figures;
  console.log(figures);
}
