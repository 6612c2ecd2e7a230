module hooks

go 1.26.6

require (
	github.com/OWNER/pulumi-webhooks/sdk/go v0.2.0
	github.com/pulumi/pulumi/sdk/v3 v3.276.0
)
