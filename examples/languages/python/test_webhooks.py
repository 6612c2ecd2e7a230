import runpy
import unittest

import pulumi


class Mocks(pulumi.runtime.Mocks):
    def __init__(self):
        self.webhooks = {}

    def new_resource(self, args):
        if args.typ == "webhooks:index:Webhook":
            self.webhooks[args.name] = args.inputs
        return [args.resource_id or args.name, args.inputs]

    def call(self, args):
        return {}


mocks = Mocks()
pulumi.runtime.set_mocks(mocks, project="hooks", stack="test")
pulumi.runtime.set_all_config({"hooks:hookSecret": "a secret"})
program = runpy.run_path("__main__.py")


class TestWebhooks(unittest.TestCase):
    @pulumi.runtime.test
    def test_every_url_is_https(self):
        def check(urls):
            for url in urls:
                self.assertTrue(url.startswith("https:"), url)

        return pulumi.Output.all(program["orders"].url, program["refunds"].url).apply(
            check
        )

    @pulumi.runtime.test
    def test_orders_has_a_secret(self):
        def check(_):
            secret = mocks.webhooks["orders"]["secret"]
            self.assertEqual(secret["value"], "a secret")

        return program["orders"].id.apply(check)
