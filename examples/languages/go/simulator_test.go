//go:build simulator

package main

import (
	"bufio"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/auto"
)

const apiKey = "key-of-the-simulator"

// TestUp runs the program with the real engine against a simulated API. It requires the Pulumi CLI on PATH.
func TestUp(t *testing.T) {
	api := startSimulator(t)
	control := api["Control API"]
	stack, err := auto.NewStackLocalSource(t.Context(), "test", ".", auto.EnvVars(map[string]string{
		"PULUMI_BACKEND_URL":       "file://" + t.TempDir(),
		"PULUMI_CONFIG_PASSPHRASE": "test",
		"WEBHOOKS_BASE_URL":        api["Webhook API simulator"],
		"WEBHOOKS_API_KEY":         apiKey,
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer stack.Workspace().RemoveStack(t.Context(), "test")
	secret := auto.ConfigValue{Value: "a secret", Secret: true}
	if err := stack.SetConfig(t.Context(), "hookSecret", secret); err != nil {
		t.Fatal(err)
	}

	fault := url.Values{"fault": {"create: status 429 retryAfter=1"}}
	if _, err := http.PostForm(control+"/faults", fault); err != nil {
		t.Fatal(err)
	}
	if _, err := stack.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	if names := webhookNames(t, control); strings.Join(names, " ") != "Orders refunds" {
		t.Errorf("the API has the webhooks %v", names)
	}
	if _, err := stack.Destroy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if names := webhookNames(t, control); len(names) > 0 {
		t.Errorf("the API still has the webhooks %v", names)
	}
}

// startSimulator starts the simulator of the installed plugin, and returns what it prints,
// such as "Webhook API simulator" and "Control API".
func startSimulator(t *testing.T) map[string]string {
	command := exec.Command("pulumi", "plugin", "run", "--kind", "resource", "webhooks", "--", "simulator")
	command.Env = append(os.Environ(), "WEBHOOKS_API_KEY="+apiKey)
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { command.Process.Kill() })
	printed := map[string]string{}
	lines := bufio.NewScanner(stdout)
	for lines.Scan() && lines.Text() != "" {
		if name, value, ok := strings.Cut(lines.Text(), ": "); ok {
			printed[name] = value
		}
	}
	return printed
}

func webhookNames(t *testing.T, control string) []string {
	response, err := http.Get(control + "/webhooks")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var webhooks []struct{ Name string }
	if err := json.NewDecoder(response.Body).Decode(&webhooks); err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, webhook := range webhooks {
		names = append(names, webhook.Name)
	}
	slices.Sort(names)
	return names
}
