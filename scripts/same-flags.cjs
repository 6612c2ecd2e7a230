// Pulumi's SDK sets this flag of V8 while it loads. Code that was cached with other flags is compiled again, so it is set from the start.
require("node:v8").setFlagsFromString("--allow-natives-syntax");
