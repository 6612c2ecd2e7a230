"""Declares the webhooks of several teams, which a file lists."""

from __future__ import annotations

import json
from pathlib import Path

import pulumi
import pulumi_webhooks as webhooks


class Team(pulumi.ComponentResource):
    """A component with the webhooks of one team: a URL for each purpose."""

    def __init__(
        self,
        name: str,
        urls: dict[str, str],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("hooks:index:Team", name, None, opts)
        for purpose, url in urls.items():
            webhooks.Webhook(
                f"{name}/{purpose}",
                url=url,
                opts=pulumi.ResourceOptions(parent=self),
            )


for team, team_urls in json.loads(Path("teams.json").read_text()).items():
    Team(team, team_urls)
