package main

import "time"

// Settings are what a test may change while the server runs.
type Settings struct {
	// Organizations are those that the user of each token is a member of. The first one is his default organization.
	Organizations []string `json:"organizations"`
	// Tokens maps access tokens to what they may do: "read", "write" or "admin". Any other value is an expired token.
	Tokens map[string]string `json:"tokens"`
	// Outage closes each connection without a reply.
	Outage bool `json:"outage"`
	// Journals is whether runs send a journal. Otherwise they send whole states, or what has changed in them.
	Journals bool `json:"journals"`
	// ExportsRunning is whether an export during a run shows what its journal says so far.
	ExportsRunning bool `json:"exportsRunning"`
	// LeaseSeconds is how long a killed run keeps its stack.
	LeaseSeconds int `json:"leaseSeconds"`
}

func defaultSettings() Settings {
	return Settings{
		Organizations:  []string{"acme", "other"},
		Tokens:         map[string]string{},
		Journals:       true,
		ExportsRunning: true,
		LeaseSeconds:   300,
	}
}

func (s Settings) lease() time.Duration {
	return time.Duration(s.LeaseSeconds) * time.Second
}

// Access is what a request needs.
type access int

const (
	reads access = iota + 1
	writes
	administrates
)

// accessOf returns what a token may do: nothing if it has expired.
func (s Settings) accessOf(token string) access {
	return map[string]access{"read": reads, "write": writes, "admin": administrates}[s.Tokens[token]]
}
