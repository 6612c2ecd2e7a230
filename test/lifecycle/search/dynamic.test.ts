import { searchWith } from "./worlds.js";

searchWith("dynamic");
