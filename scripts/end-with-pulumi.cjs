// Ends the executable's simulator when the pulumi that runs it has ended: pulumi plugin run passes no Ctrl-C on.
const { execFileSync } = require("node:child_process");
const { readFileSync } = require("node:fs");

const { ppid: parent } = process;
if (/(?:^|\/)pulumi\s*$/.test(nameOf(parent))) {
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, "SIGINT");
  }, 500).unref();
}

function nameOf(pid) {
  const read = { linux: () => readFileSync(`/proc/${pid}/comm`, "utf8") }[process.platform];
  const ask = () => execFileSync("ps", ["-o", "comm=", "-p", `${pid}`], { encoding: "utf8", stdio: "pipe" });
  try {
    return (read ?? ask)();
  } catch {
    return ""; // Such as on Windows.
  }
}
