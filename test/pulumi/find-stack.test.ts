import { expect, it } from "vitest";
import { findRunning } from "../../src/pulumi/find-stack.js";

const ours = { name: "ours/hooks/dev" };
const theirs = { name: "theirs/hooks/dev" };
const running = <Stack>(stack: Stack) => ({ ...stack, updateInProgress: true });

it.each([
  ["is the only one of its name", [ours], "dev", ours.name],
  ["is in progress", [running(ours), theirs], undefined, ours.name],
  ["is selected, and none is in progress, as in a preview", [ours, theirs], ours.name, ours.name],
  ["is selected, and is in progress beside another", [running(ours), running(theirs)], ours.name, ours.name],
])("the stack that runs %s", (_, namesakes, selected, name) => {
  expect(findRunning(namesakes, selected)?.name).toBe(name);
});

it.each([
  ["none of them is in progress", [ours, theirs], undefined],
  ["several are in progress", [running(ours), running(theirs)], undefined],
  ["another one than the selected one is in progress", [ours, running(theirs)], ours.name],
  ["there is none", [], "dev"],
])("no stack is taken for the one that runs if %s", (_, namesakes, selected) => {
  expect(findRunning(namesakes, selected)).toBeUndefined();
});
