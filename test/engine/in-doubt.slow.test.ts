import { testInDoubt } from "./in-doubt.js";

testInDoubt("plugin");
