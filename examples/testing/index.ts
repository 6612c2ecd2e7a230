// The program that the two tests beside it check.
import * as pulumi from "@pulumi/pulumi";
import * as webhooks from "pulumi-webhooks";

const config = new pulumi.Config();

/** A component of your own: its webhooks are its children. */
class Shop extends pulumi.ComponentResource {
  readonly orders: webhooks.Webhook;

  constructor(name: string, opts?: pulumi.ComponentResourceOptions) {
    super("example:index:Shop", name, {}, opts);
    const fields = {
      url: "https://example.com/hooks/orders",
      secret: config.requireSecret("hookSecret"),
    };
    this.orders = new webhooks.Webhook("orders", fields, { parent: this });
    this.registerOutputs();
  }
}

export const ordersId = new Shop("shop").orders.id;
