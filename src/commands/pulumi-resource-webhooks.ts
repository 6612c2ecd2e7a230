#!/usr/bin/env node
import "../pulumi/refuse-old-node.js";

// One executable for the engine, which starts it with an address or with flags of its own, and for people, who run a
// command: a machine without Node.js has no other.
const [, , first = "--help"] = process.argv;
if (/^(?:[a-z]+|-[hv]|--help|--version)$/.test(first)) void import("./index.js");
else void import("../plugin/index.js").then(({ startPlugin }) => startPlugin());
