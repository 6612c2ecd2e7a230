import pulumi
import pulumi_webhooks as webhooks

config = pulumi.Config()

orders = webhooks.Webhook(
    "orders",
    url=config.get("ordersUrl") or "https://example.com/hooks/orders",
    name="Orders",
    secret=config.require_secret("hookSecret"),
)

refunds = webhooks.Webhook(
    "refunds",
    url="https://example.com/hooks/refunds",
    enabled=False,
)

pulumi.export("ordersId", orders.id)
pulumi.export("refundsId", refunds.id)
