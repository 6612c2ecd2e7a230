// Pulumi's language host for Node.js runs this file, if a program refers to this folder as a plugin.
require("../dist/plugin").startPlugin();
