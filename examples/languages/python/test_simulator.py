"""Runs the program with the real engine against a simulated API. It requires the Pulumi CLI on PATH."""

import os
import subprocess
from pathlib import Path

import pytest
import requests
from pulumi import automation as auto

FOLDER = Path(__file__).parent
PLUGIN = ["pulumi", "plugin", "run", "--kind", "resource", "webhooks", "--"]
KEY = {"WEBHOOKS_API_KEY": "key-of-the-simulator"}


@pytest.fixture(scope="session")
def api():
    """Starts the simulator, and returns what it prints, such as "Webhook API simulator" and "Control API"."""
    with subprocess.Popen(
        [*PLUGIN, "simulator"],
        env={**os.environ, **KEY},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        lines = iter(lambda: process.stdout.readline().strip(), "")
        yield dict(line.split(": ", 1) for line in lines)
        process.terminate()


@pytest.fixture(scope="session")
def control(api):
    return api["Control API"]


@pytest.fixture(scope="session")
def stack(api, tmp_path_factory):
    environment = {
        "PULUMI_BACKEND_URL": tmp_path_factory.mktemp("state").as_uri(),
        "PULUMI_CONFIG_PASSPHRASE": "test",
        "WEBHOOKS_BASE_URL": api["Webhook API simulator"],
        **KEY,
        "WEBHOOKS_DRIFT": "probe",
    }
    options = auto.LocalWorkspaceOptions(env_vars=environment)
    stack = auto.create_stack("test", work_dir=str(FOLDER), opts=options)
    stack.set_config("hookSecret", auto.ConfigValue("a secret", secret=True))
    yield stack
    stack.workspace.remove_stack("test", force=True)


def test_up_repeats_a_create_that_the_api_refused(stack, control):
    requests.post(f"{control}/faults", {"fault": "create: status 429 retryAfter=1"})
    stack.up()
    calls = requests.get(f"{control}/requests").json()
    statuses = sorted(call["status"] for call in calls)
    assert statuses == [201, 201, 429]


def test_up_restores_a_webhook_that_someone_disabled(stack, control):
    [orders] = [
        webhook
        for webhook in requests.get(f"{control}/webhooks").json()
        if webhook["name"] == "Orders"
    ]
    url = f"{control}/webhooks/{orders['id']}"
    requests.post(url, {"enabled": "false"})
    stack.refresh()
    stack.up()
    assert requests.get(url).json()["enabled"]


def test_destroy_deletes_the_webhooks(stack, control):
    stack.destroy()
    assert requests.get(f"{control}/webhooks").json() == []
