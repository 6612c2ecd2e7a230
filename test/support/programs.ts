/** Declares a webhook with the stack's secret. */
export const webhook = (name: string, fields = "", options = "{}") =>
  `const ${name} = new webhooks.Webhook("${name}", { url: "https://example.com/${name}", secret: config.requireSecret("hookSecret")${fields} }, ${options});\n`;
