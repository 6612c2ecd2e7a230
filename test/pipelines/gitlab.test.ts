import { gitlab } from "./gitlab-ci.js";
import { describeScenarios } from "./scenarios.js";

describeScenarios("gitlab", gitlab);
