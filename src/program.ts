import { createRequire } from "node:module";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { oldNodeProblem } from "./node-version.js";

let checked = false;

/**
 * Refuses, before anything is declared, a program whose webhooks could not be managed or would lay the key open.
 *
 * Only a program that the Pulumi CLI runs is checked: under mocks nothing is loaded or stored, and an inline program of
 * the Automation API runs elsewhere than its work directory.
 */
export function checkProgram(): void {
  if (checked || !/[\\/]cmd[\\/]run/.test(process.argv[1] ?? "")) return;
  refuseOldNode();
  requirePackage();
  refusePlainKey();
  checked = true;
}

/** The provider, which runs on the program's Node.js, would fail to load, with a stack trace for each webhook. */
function refuseOldNode(): void {
  const problem = oldNodeProblem();
  if (problem !== undefined) throw new pulumi.RunError(problem);
}

/**
 * Pulumi loads the stored provider from the program's directory. Where only a library of the program depends on this
 * package, a strict package manager hides it there, and every step would fail with "Cannot find module".
 */
function requirePackage(): void {
  try {
    createRequire(join(process.cwd(), "program.js")).resolve("pulumi-webhooks/provider");
  } catch {
    throw new pulumi.RunError(
      `pulumi-webhooks cannot be loaded from the program's directory, ${process.cwd()}, where Pulumi looks for it. Add it to the program's own dependencies: npm install pulumi-webhooks`,
    );
  }
}

/** Pulumi keeps the stack's config in the state of dynamic providers, and encrypts only what it knows to be secret. */
function refusePlainKey(): void {
  const secretKeys = process.env.PULUMI_CONFIG_SECRET_KEYS;
  const key = new pulumi.Config("webhooks").get("apiKey");
  if (secretKeys === undefined || key === undefined || secretKeys.includes('"webhooks:apiKey"')) return;
  throw new pulumi.RunError(
    "webhooks:apiKey is in the stack's config in plain text, and would be in its state. Set it again, encrypted: pulumi config set --secret webhooks:apiKey",
  );
}
