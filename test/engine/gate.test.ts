import { testGate } from "./gate.js";

testGate("dynamic", "newest");
