"""Rules for the webhooks of every stack, declared in any language."""

import re
from collections.abc import Callable
from urllib.parse import SplitResult, urlsplit

from pulumi_policy import (
    EnforcementLevel,
    PolicyConfigSchema,
    PolicyPack,
    ReportViolation,
    ResourceValidationArgs,
    ResourceValidationPolicy,
)

# The types of the plugin and of the dynamic provider.
TYPES = ("webhooks:index:Webhook", "pulumi-nodejs:dynamic/webhooks:Webhook")
NAME = re.compile(r"[a-z][a-z0-9-]*/[a-z][a-z0-9-]*")

Validation = Callable[[ResourceValidationArgs, ReportViolation], None]


def for_webhooks(validate: Validation) -> Validation:
    """Returns a validation that looks at webhooks only."""

    def validate_webhook(args: ResourceValidationArgs, report: ReportViolation) -> None:
        if args.resource_type in TYPES:
            validate(args, report)

    return validate_webhook


def parse(args: ResourceValidationArgs) -> SplitResult:
    """Parses the URL. Policies also see the webhooks that the provider refuses."""
    try:
        return urlsplit(args.props.get("url") or "")
    except ValueError:
        return urlsplit("")


@for_webhooks
def check_scheme(args: ResourceValidationArgs, report: ReportViolation) -> None:
    if parse(args).scheme != "https":
        report("Use an https URL.", None)


@for_webhooks
def check_host(args: ResourceValidationArgs, report: ReportViolation) -> None:
    hosts = args.get_config()["hosts"]
    hostname = parse(args).hostname or ""
    if not any(f".{hostname}".endswith(f".{host}") for host in hosts):
        report(f"Use {', '.join(hosts)}, or a host below it.", None)


@for_webhooks
def check_secret(args: ResourceValidationArgs, report: ReportViolation) -> None:
    # Never report a value of `secret`: policies see it in plain text.
    if not args.props.get("secret"):
        report("Declare a secret.", None)


@for_webhooks
def check_name(args: ResourceValidationArgs, report: ReportViolation) -> None:
    if not NAME.fullmatch(args.props.get("name") or ""):
        report(
            "Name it <team>/<purpose>, in lower-case letters, digits and hyphens.", None
        )


HOSTS = {"type": "array", "items": {"type": "string"}, "default": ["example.com"]}

PolicyPack(
    name="webhooks",
    enforcement_level=EnforcementLevel.MANDATORY,
    policies=[
        ResourceValidationPolicy(
            name="webhook-https",
            description="A webhook receives over https.",
            validate=check_scheme,
        ),
        ResourceValidationPolicy(
            name="webhook-host",
            description="A webhook receives at an allowed host, or below it.",
            config_schema=PolicyConfigSchema(properties={"hosts": HOSTS}),
            validate=check_host,
        ),
        ResourceValidationPolicy(
            name="webhook-secret",
            description="A webhook has a secret, so that its receiver can check who sent an event.",
            validate=check_secret,
        ),
        ResourceValidationPolicy(
            name="webhook-name",
            description="The name of a webhook starts with its team.",
            validate=check_name,
        ),
    ],
)
