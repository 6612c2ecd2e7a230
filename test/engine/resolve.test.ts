import { testResolve } from "./resolve.js";

testResolve("dynamic");
