import { oldNodeProblem } from "./node-version.js";

// Imported for its effect, before all else: on an old Node.js the next import may throw from inside a dependency.
const problem = oldNodeProblem();
if (problem !== undefined) {
  console.error(`error: ${problem}`);
  process.exit(2);
}
