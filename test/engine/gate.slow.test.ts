import { testGate } from "./gate.js";

testGate("dynamic", "oldest");
testGate("plugin", "newest");
