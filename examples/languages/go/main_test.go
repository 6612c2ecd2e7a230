package main

import (
	"strings"
	"sync"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// mocks collects the inputs of the webhooks. Pulumi calls it from several goroutines.
type mocks struct {
	mutex    sync.Mutex
	webhooks map[string]resource.PropertyMap
}

func (m *mocks) NewResource(args pulumi.MockResourceArgs) (string, resource.PropertyMap, error) {
	if args.TypeToken == "webhooks:index:Webhook" {
		m.mutex.Lock()
		defer m.mutex.Unlock()
		m.webhooks[args.Name] = args.Inputs
	}
	return args.Name, args.Inputs, nil
}

func (*mocks) Call(pulumi.MockCallArgs) (resource.PropertyMap, error) {
	return resource.PropertyMap{}, nil
}

func TestWebhooks(t *testing.T) {
	t.Setenv("PULUMI_CONFIG", `{"hooks:hookSecret": "a secret"}`)
	found := &mocks{webhooks: map[string]resource.PropertyMap{}}
	if err := pulumi.RunErr(declare, pulumi.WithMocks("hooks", "test", found)); err != nil {
		t.Fatal(err)
	}
	for name, inputs := range found.webhooks {
		if url := inputs["url"].StringValue(); !strings.HasPrefix(url, "https:") {
			t.Errorf("the URL of %s is %s", name, url)
		}
	}
	if !found.webhooks["orders"]["secret"].IsSecret() {
		t.Error("the secret of orders is not a secret")
	}
}
