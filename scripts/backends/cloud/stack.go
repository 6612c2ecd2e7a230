package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/hexops/gotextdiff"
	"github.com/pulumi/pulumi/pkg/v3/backend"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
)

// stackName is the full name of a stack, which is its path in the protocol.
type stackName struct{ organization, project, stack string }

// stack is what the service keeps of a stack.
type stack struct {
	name    stackName
	tags    map[apitype.StackTagName]string
	version int
	updated *int64
	state   *apitype.UntypedDeployment
	// active is the update that holds the lease.
	active  *update
	updates map[string]*update
}

// update is a run of the CLI: up, preview, refresh, destroy, or an import of a state.
type update struct {
	id      string
	kind    apitype.UpdateKind
	token   string
	expires time.Time
	status  apitype.UpdateStatus
	journal map[int64]apitype.JournalEntry
	// sent is the last state that the CLI has sent as text, to which its next delta applies.
	sent string
}

func (u *update) isPreview() bool { return u.kind == apitype.PreviewUpdate }

// settle ends the active update if its lease is over: its engine was killed, or could not renew it.
func (s *stack) settle() {
	if s.active != nil && time.Now().After(s.active.expires) {
		s.end(s.active, apitype.UpdateStatusCancelled)
	}
}

// start begins an update, which holds the stack until it ends. A preview holds nothing.
func (s *stack) start(u *update, lease time.Duration) error {
	s.settle()
	if !u.isPreview() && s.active != nil {
		return problem(http.StatusConflict, "Another update is currently in progress")
	}
	u.status = apitype.StatusRunning
	u.expires = time.Now().Add(lease)
	if !u.isPreview() {
		s.active = u
		s.version++
		now := time.Now().Unix()
		s.updated = &now
	}
	return nil
}

// end ends an update. Its state is what its journal says, however it has ended.
func (s *stack) end(u *update, status apitype.UpdateStatus) {
	if s.active == u {
		s.state = s.replay(u)
		s.active = nil
	}
	u.status = status
}

// current returns the state: before the update that is running, or with what its journal says so far.
func (s *stack) current(withJournal bool) *apitype.UntypedDeployment {
	if s.active != nil && withJournal {
		return s.replay(s.active)
	}
	return s.state
}

// replay applies the journal of an update to the state, as the CLI itself does. Entries that were sent twice count once.
func (s *stack) replay(u *update) *apitype.UntypedDeployment {
	if len(u.journal) == 0 {
		return s.state
	}
	base := &apitype.DeploymentV3{} // The replayer changes it.
	if s.state != nil {
		must(json.Unmarshal(s.state.Deployment, base))
	}
	replayer := backend.NewJournalReplayer(base)
	for _, id := range sortedKeys(u.journal) {
		must(replayer.Add(u.journal[id]))
	}
	replayed, err := replayer.GenerateDeployment()
	must(err)
	return untyped(replayed)
}

// applyDelta applies the difference of two states that the CLI has sent.
func (u *update) applyDelta(request apitype.PatchUpdateCheckpointDeltaRequest) error {
	var edits []gotextdiff.TextEdit
	if err := json.Unmarshal(request.DeploymentDelta, &edits); err != nil {
		return problem(http.StatusBadRequest, err.Error())
	}
	changed := gotextdiff.ApplyEdits(u.sent, edits)
	if hashOf(changed) != request.CheckpointHash {
		return problem(http.StatusBadRequest, fmt.Sprintf("checkpoint %d has another hash", request.SequenceNumber))
	}
	u.sent = changed
	return nil
}

func untyped(typed apitype.TypedDeployment) *apitype.UntypedDeployment {
	text, err := json.Marshal(typed.Deployment)
	must(err)
	return &apitype.UntypedDeployment{Version: typed.Version, Features: typed.Features, Deployment: text}
}
