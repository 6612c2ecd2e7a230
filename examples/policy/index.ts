// Rules for the webhooks of every stack, declared in any language.
import type { ReportViolation, ResourceValidationArgs } from "@pulumi/policy";
import { PolicyPack } from "@pulumi/policy";

/** The types of the plugin and of the dynamic provider. */
const TYPES = ["webhooks:index:Webhook", "pulumi-nodejs:dynamic/webhooks:Webhook"];
const NAME = /^[a-z][a-z0-9-]*\/[a-z][a-z0-9-]*$/;

new PolicyPack("webhooks", {
  enforcementLevel: "mandatory",
  policies: [
    {
      name: "webhook-https",
      description: "A webhook receives over https.",
      validateResource: forWebhooks(({ props: { url } }, report) => {
        if (parse(url).protocol !== "https:") report("Use an https URL.");
      }),
    },
    {
      name: "webhook-host",
      description: "A webhook receives at an allowed host, or below it.",
      configSchema: {
        properties: { hosts: { type: "array", items: { type: "string" }, default: ["example.com"] } },
      },
      validateResource: forWebhooks(({ props: { url }, getConfig }, report) => {
        const { hosts } = getConfig<{ hosts: string[] }>();
        const { hostname } = parse(url);
        if (!hosts.some((host) => `.${hostname}`.endsWith(`.${host}`))) {
          report(`Use ${hosts.join(", ")}, or a host below it.`);
        }
      }),
    },
    {
      name: "webhook-secret",
      description: "A webhook has a secret, so that its receiver can check who sent an event.",
      validateResource: forWebhooks(({ props: { secret } }, report) => {
        // Never report a value of `secret`: policies see it in plain text.
        if (!secret) report("Declare a secret.");
      }),
    },
    {
      name: "webhook-name",
      description: "The name of a webhook starts with its team.",
      validateResource: forWebhooks(({ props: { name } }, report) => {
        if (!NAME.test(name ?? "")) {
          report("Name it <team>/<purpose>, in lower-case letters, digits and hyphens.");
        }
      }),
    },
  ],
});

/** Returns a validation that looks at webhooks only. */
function forWebhooks(validate: (args: ResourceValidationArgs, report: ReportViolation) => void) {
  return (args: ResourceValidationArgs, report: ReportViolation) => {
    if (TYPES.includes(args.type)) validate(args, report);
  };
}

/** Parses a URL. Policies also see the webhooks that the provider refuses, such as one without a URL. */
function parse(url: string): { protocol: string; hostname: string } {
  try {
    return new URL(url);
  } catch {
    return { protocol: "", hostname: "" };
  }
}
