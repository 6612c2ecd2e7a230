import { searchWith } from "./worlds.js";

searchWith("plugin");
