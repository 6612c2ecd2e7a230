"""Manages webhooks from a script instead of the command line."""

import os

import pulumi
import pulumi_webhooks as webhooks
from pulumi import automation as auto


def declare() -> None:
    alerts = webhooks.Webhook("alerts", url="https://example.com/hooks/alerts")
    pulumi.export("alertsId", alerts.id)


stack = auto.create_or_select_stack(
    stack_name="script", project_name="automation-api", program=declare
)
stack.set_all_config(
    {
        "webhooks:baseUrl": auto.ConfigValue(os.environ["API_URL"]),
        "webhooks:apiKey": auto.ConfigValue(os.environ["API_KEY"], secret=True),
    }
)
result = stack.up(on_output=print)
print(f"Webhook {result.outputs['alertsId'].value} is up to date.")
