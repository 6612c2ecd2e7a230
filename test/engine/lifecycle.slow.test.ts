import { testLifecycle } from "./lifecycle.js";

testLifecycle("plugin");
