import "../pulumi/refuse-old-node.js";
import { startSurroundings } from "../pulumi/surroundings.js";
import { serve } from "./service.js";

/** Starts this process as a Pulumi plugin: it serves the provider protocol, and prints its port, as the engine expects. */
export async function startPlugin(): Promise<void> {
  // An error that nobody foresaw must not end the process: it would take the creates in flight along.
  process.on("uncaughtException", (error) => console.error(error));
  const { port } = await serve(startSurroundings());
  console.log(String(port));
}
