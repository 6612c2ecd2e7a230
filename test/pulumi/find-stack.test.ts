import { expect, it } from "vitest";
import { findRunning } from "../../src/pulumi/find-stack.js";

const ours = { name: "ours/hooks/dev" };
const theirs = { name: "theirs/hooks/dev" };
const running = <Stack>(stack: Stack) => ({ ...stack, updateInProgress: true });

it.each([
  ["the only one runs", [ours], "dev", ours.name],
  ["the one in progress runs", [running(ours), theirs], undefined, ours.name],
  ["the selected one runs if none is in progress, as in a preview", [ours, theirs], ours.name, ours.name],
  ["the selected one of several in progress runs", [running(ours), running(theirs)], ours.name, ours.name],
  ["it is unknown which runs if none is in progress", [ours, theirs], undefined, undefined],
  ["it is unknown if several are in progress", [running(ours), running(theirs)], undefined, undefined],
  ["it is unknown if another than the selected runs", [ours, running(theirs)], ours.name, undefined],
  ["it is unknown if the service lists none", [], "dev", undefined],
])("of the stacks with one name, %s", (_, namesakes, selected, name) => {
  expect(findRunning(namesakes, selected)?.name).toBe(name);
});
