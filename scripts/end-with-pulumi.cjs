// Ends the executable's simulator when the pulumi that runs it has ended: pulumi plugin run passes no Ctrl-C on.
const { execFileSync } = require("node:child_process");

const { ppid: parent } = process;
if (isPulumi(parent)) {
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, "SIGINT");
  }, 500).unref();
}

function isPulumi(pid) {
  try {
    const name = execFileSync("ps", ["-o", "comm=", "-p", `${pid}`], { encoding: "utf8", stdio: "pipe" });
    return /(?:^|\/)pulumi\s*$/.test(name);
  } catch {
    return false; // Small images of Linux have no ps.
  }
}
