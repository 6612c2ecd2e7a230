// Import this for its effect: the process can then import src without a build.
import { registerHooks } from "node:module";

// Imports in src name the compiled files: `./client.js` is client.ts, an ES module.
const isOurs = (url: string | undefined) => url?.includes("/src/") === true;
registerHooks({
  resolve: (name, context, next) =>
    next(isOurs(context.parentURL) && name.startsWith(".") ? name.replace(/\.js$/, ".ts") : name, context),
  load: (url, context, next) =>
    next(url, isOurs(url) ? { ...context, format: "module-typescript" } : context),
});
