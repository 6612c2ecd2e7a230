// Declares the webhooks of several teams, which a file lists.
package main

import (
	_ "embed"
	"encoding/json"

	"github.com/OWNER/pulumi-webhooks/sdk/go/webhooks"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

//go:embed teams.json
var teamsFile []byte

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		var teams map[string]map[string]string
		if err := json.Unmarshal(teamsFile, &teams); err != nil {
			return err
		}
		for name, urls := range teams {
			if _, err := NewTeam(ctx, name, urls); err != nil {
				return err
			}
		}
		return nil
	})
}

// Team is a component with the webhooks of one team.
type Team struct {
	pulumi.ResourceState
}

// NewTeam declares a webhook for each purpose, with its URL.
func NewTeam(ctx *pulumi.Context, name string, urls map[string]string, options ...pulumi.ResourceOption) (*Team, error) {
	team := &Team{}
	if err := ctx.RegisterComponentResource("hooks:index:Team", name, team, options...); err != nil {
		return nil, err
	}
	for purpose, url := range urls {
		fullName := name + "/" + purpose
		args := &webhooks.WebhookArgs{Url: pulumi.String(url)}
		if _, err := webhooks.NewWebhook(ctx, fullName, args, pulumi.Parent(team)); err != nil {
			return nil, err
		}
	}
	return team, nil
}
