import "../refuse-old-node.js";
import { connectToEngine, engineAddress } from "../engine/connection.js";
import { engineLog } from "../engine/log.js";
import { projectFolder } from "../engine/project-folder.js";
import { startNotes } from "../engine/start-notes.js";
import { Termination } from "../engine/termination.js";
import type { Notes } from "../notes/notes.js";
import { StackReading } from "../stack/stack-reading.js";
import { serve } from "./server.js";

/**
 * Starts this process as a Pulumi plugin: it serves the provider protocol, and prints its port, as the engine expects.
 *
 * The engine starts it in the project's folder, and passes its own address as the first argument.
 */
export async function startPlugin(): Promise<void> {
  // An error that nobody foresaw must not end the process: it would take the creates in flight along.
  process.on("uncaughtException", (error) => console.error(error));
  const lost = connectToEngine()?.lost;
  const termination = new Termination({ lost, atEnd: () => notes.end() });
  const notes: Notes = startNotes(termination.interruption);
  const { port } = await serve(
    {
      log: engineLog,
      connect: () => termination.signal,
      notes,
      readStack: (running) =>
        new StackReading({ ...running, folder: projectFolder(), engine: engineAddress() }),
    },
    termination,
  );
  console.log(String(port));
}
