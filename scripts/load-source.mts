// Imported for its effect: lets a process of its own import src as it is, without a build.

import { registerHooks } from "node:module";

// src is written for the compiler: `./client.js` is the file client.ts, an ES module.
const isOurs = (url: string | undefined) => url?.includes("/src/") === true;
registerHooks({
  resolve: (name, context, next) =>
    next(isOurs(context.parentURL) && name.startsWith(".") ? name.replace(/\.js$/, ".ts") : name, context),
  load: (url, context, next) =>
    next(url, isOurs(url) ? { ...context, format: "module-typescript" } : context),
});
