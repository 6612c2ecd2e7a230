import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    coverage: { include: ["src/**"] },
    projects: [
      {
        extends: true,
        test: { name: "unit", include: ["test/*.test.ts", "test/setup/*.test.mts"] },
      },
    ],
  },
});
