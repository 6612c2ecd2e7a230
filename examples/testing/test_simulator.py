"""Runs the program with the real engine against a simulated API. It requires the Pulumi CLI on PATH."""

import subprocess
from pathlib import Path

import pytest
import requests
from pulumi import automation as auto

FOLDER = Path(__file__).parent


@pytest.fixture(scope="session")
def api():
    """Starts the simulator, and returns what it prints: "Webhook API simulator", "API key", "Control API"."""
    command = [FOLDER / "node_modules/.bin/pulumi-webhooks", "simulator"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        lines = iter(lambda: process.stdout.readline().strip(), "")
        yield dict(line.split(": ", 1) for line in lines)
        process.terminate()


@pytest.fixture(scope="session")
def control(api):
    return api["Control API"]


@pytest.fixture(scope="session")
def stack(api, tmp_path_factory):
    state = tmp_path_factory.mktemp("state").as_uri()
    options = auto.LocalWorkspaceOptions(
        env_vars={"PULUMI_BACKEND_URL": state, "PULUMI_CONFIG_PASSPHRASE": "test"}
    )
    stack = auto.create_stack("python", work_dir=str(FOLDER), opts=options)
    stack.set_all_config(
        {
            "webhooks:baseUrl": auto.ConfigValue(api["Webhook API simulator"]),
            "webhooks:apiKey": auto.ConfigValue(api["API key"], secret=True),
            "webhooks:drift": auto.ConfigValue("probe"),
            "hookSecret": auto.ConfigValue("a secret", secret=True),
        }
    )
    yield stack
    stack.workspace.remove_stack("python", force=True)


def test_up_repeats_a_create_that_the_api_refused(stack, control):
    requests.post(f"{control}/faults", {"fault": "create: status 429 retryAfter=1"})
    stack.up()
    calls = requests.get(f"{control}/requests").json()
    assert [(call["operation"], call["status"]) for call in calls] == [("create", 429), ("create", 201)]


def test_up_restores_a_webhook_that_someone_disabled(stack, control):
    requests.post(f"{control}/webhooks/1", {"enabled": "false"})
    stack.refresh()
    stack.up()
    assert requests.get(f"{control}/webhooks/1").json()["enabled"]


def test_destroy_deletes_the_webhook(stack, control):
    stack.destroy()
    assert requests.get(f"{control}/webhooks").json() == []
