// Ends the executable's simulator when the pulumi that runs it has ended: pulumi plugin run passes no Ctrl-C on.
const { execFileSync } = require("node:child_process");
const { readProcess } = require("../dist/notes/processes.js");

const { ppid: parent } = process;
if (/(?:^|\/)pulumi\s*$/.test(nameOf(parent))) {
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, "SIGINT");
  }, 500).unref();
}

function nameOf(pid) {
  const options = { encoding: "utf8", stdio: "pipe" };
  try {
    return readProcess(pid)?.name ?? execFileSync("ps", ["-o", "comm=", "-p", `${pid}`], options);
  } catch {
    return ""; // Such as on Windows.
  }
}
