import { testBrokenDeleteBeforeReplace, testBrokenRuns } from "./broken-runs.js";
import { FACES } from "./stack.js";

for (const face of FACES) {
  testBrokenRuns(face);
  testBrokenDeleteBeforeReplace(face);
}
