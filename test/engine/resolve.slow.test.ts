import { testResolve } from "./resolve.js";

testResolve("plugin");
