module webhooks-in-go

go 1.25.0

require github.com/pulumi/pulumi/sdk/v3 v3.250.0
