// Declare the webhooks of an HTTP API in Pulumi programs, safely: no duplicates, no lost webhooks.
package webhooks
