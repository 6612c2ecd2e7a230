package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
)

const (
	ofProject = " /api/stacks/{organization}/{project}"
	ofStack   = ofProject + "/{stack}"
	ofUpdate  = ofStack + "/{kind}/{update}"
)

// addRoutes adds what the CLI calls. What a role may do is as Pulumi's documentation of its permission sets says.
func (s *server) addRoutes() {
	s.handle("GET /api/user", reads, s.getUser)
	s.handle("GET /api/user/organizations/default", reads, s.getDefaultOrganization)
	s.handle("GET /api/user/stacks", reads, s.listStacks)
	s.route("GET /api/capabilities", getCapabilities)

	s.handle("HEAD"+ofProject, reads, s.findProject)
	s.handle("POST"+ofProject, writes, s.createStack)
	s.handle("GET"+ofStack, reads, getStack)
	s.handle("DELETE"+ofStack, administrates, s.deleteStack)
	s.handle("PATCH"+ofStack+"/tags", writes, changeTags)
	s.handle("GET"+ofStack+"/export", reads, exportState)
	s.handle("POST"+ofStack+"/import", writes, s.importState)
	s.addSecretRoutes()

	s.handle("POST"+ofStack+"/preview", reads, s.createUpdate(apitype.PreviewUpdate))
	for _, kind := range []apitype.UpdateKind{apitype.UpdateUpdate, apitype.RefreshUpdate, apitype.DestroyUpdate} {
		s.handle("POST"+ofStack+"/"+string(kind), writes, s.createUpdate(kind))
	}
	s.handle("POST"+ofUpdate, reads, s.startUpdate)
	s.handle("GET"+ofUpdate, reads, getResults)
	s.handle("POST"+ofUpdate+"/cancel", writes, cancelUpdate)
	s.handleUpdate("POST"+ofUpdate+"/renew_lease", renewLease)
	s.handleUpdate("POST"+ofUpdate+"/complete", completeUpdate)
	s.handleUpdate("POST"+ofUpdate+"/events/batch", accept)
	s.handleUpdate("PATCH"+ofUpdate+"/journalentries", addToJournal)
	s.handleUpdate("PATCH"+ofUpdate+"/checkpoint", saveState)
	s.handleUpdate("PATCH"+ofUpdate+"/checkpointverbatim", saveText)
	s.handleUpdate("PATCH"+ofUpdate+"/checkpointdelta", saveDelta)
}

func accept(*call) (any, error) { return nil, nil }

func (s *server) getUser(call *call) (any, error) {
	type user struct {
		Login         string `json:"githubLogin"`
		Organizations []user `json:"organizations,omitempty"`
	}
	self := user{Login: "tester"}
	for _, organization := range call.settings.Organizations {
		self.Organizations = append(self.Organizations, user{Login: organization})
	}
	return self, nil
}

func (s *server) getDefaultOrganization(call *call) (any, error) {
	return apitype.GetDefaultOrganizationResponse{GitHubLogin: call.settings.Organizations[0]}, nil
}

func (s *server) listStacks(call *call) (any, error) {
	stacks := []apitype.StackSummary{}
	query := call.URL.Query()
	matches := func(parameter, value string) bool { return !query.Has(parameter) || query.Get(parameter) == value }
	for _, one := range s.stacks {
		if !matches("organization", one.name.organization) || !matches("project", one.name.project) {
			continue
		}
		one.settle()
		updated := one.updated
		if one.active != nil {
			now := int64(0) // The CLI's sign of an update in progress.
			updated = &now
		}
		stacks = append(stacks, apitype.StackSummary{
			OrgName: one.name.organization, ProjectName: one.name.project, StackName: one.name.stack, LastUpdate: updated,
		})
	}
	return apitype.ListStacksResponse{Stacks: stacks}, nil
}

// getCapabilities offers deltas for states of any size, so that small tests send them, too.
func getCapabilities(*call) (any, error) {
	config, err := json.Marshal(apitype.DeltaCheckpointUploadsConfigV2{CheckpointCutoffSizeBytes: 1})
	return apitype.CapabilitiesResponse{Capabilities: []apitype.APICapabilityConfig{
		{Capability: apitype.DeltaCheckpointUploadsV2, Version: 2, Configuration: config},
		{Capability: apitype.BatchEncrypt},
	}}, err
}

func (s *server) findProject(call *call) (any, error) {
	for name := range s.stacks {
		if name.organization == call.PathValue("organization") && name.project == call.PathValue("project") {
			return nil, nil
		}
	}
	return nil, problem(http.StatusNotFound, "Not Found: Project not found")
}

func (s *server) createStack(call *call) (any, error) {
	body, err := read[apitype.CreateStackRequest](call)
	name := nameOf(call.Request)
	name.stack = body.StackName
	if err == nil && s.stacks[name] != nil {
		err = problem(http.StatusConflict, "Conflict: Stack '"+name.stack+"' already exists")
	}
	if err != nil {
		return nil, err
	}
	s.stacks[name] = &stack{name: name, tags: body.Tags, state: body.State, updates: map[string]*update{}}
	return apitype.CreateStackResponse{}, nil
}

func getStack(call *call) (any, error) {
	found := call.stack
	result := apitype.Stack{
		ID:          found.name.stack,
		OrgName:     found.name.organization,
		ProjectName: found.name.project,
		StackName:   tokens.QName(found.name.stack),
		Tags:        found.tags,
		Version:     found.version,
	}
	if found.active != nil {
		result.ActiveUpdate = found.active.id
		result.CurrentOperation = &apitype.OperationStatus{Kind: found.active.kind, Author: "tester"}
	}
	return result, nil
}

func (s *server) deleteStack(call *call) (any, error) {
	delete(s.stacks, call.stack.name)
	return nil, nil
}

func changeTags(call *call) (any, error) {
	tags, err := read[map[apitype.StackTagName]string](call)
	call.stack.tags = tags
	return nil, err
}

func exportState(call *call) (any, error) {
	state := call.stack.current(call.settings.ExportsRunning)
	if state == nil {
		state = &apitype.UntypedDeployment{Version: 3, Deployment: json.RawMessage("{}")}
	}
	return state, nil
}

func (s *server) importState(call *call) (any, error) {
	state, err := read[apitype.UntypedDeployment](call)
	if err != nil {
		return nil, err
	}
	update := s.addUpdate(call.stack, apitype.StackImportUpdate)
	if err := call.stack.start(update, call.settings.lease()); err != nil {
		return nil, err
	}
	call.stack.state = &state
	call.stack.end(update, apitype.UpdateStatusSucceeded)
	return apitype.ImportStackResponse{UpdateID: update.id}, nil
}

func (s *server) addUpdate(stack *stack, kind apitype.UpdateKind) *update {
	s.count++
	id := fmt.Sprint("update-", s.count)
	added := &update{
		id: id, kind: kind, token: "lease-" + id, status: apitype.StatusNotStarted, journal: map[int64]apitype.JournalEntry{},
	}
	stack.updates[id] = added
	return added
}

func (s *server) createUpdate(kind apitype.UpdateKind) handler {
	return func(call *call) (any, error) {
		return apitype.UpdateProgramResponse{UpdateID: s.addUpdate(call.stack, kind).id}, nil
	}
}

func (s *server) startUpdate(call *call) (any, error) {
	body, err := read[apitype.StartUpdateRequest](call)
	if err != nil {
		return nil, err
	}
	if err := call.stack.start(call.update, call.settings.lease()); err != nil {
		return nil, err
	}
	if body.Tags != nil {
		call.stack.tags = body.Tags
	}
	version := int64(0)
	if call.settings.Journals {
		version = min(body.JournalVersion, 1)
	}
	return apitype.StartUpdateResponse{
		Version: call.stack.version, Token: call.update.token, TokenExpiration: call.update.expires.Unix(), JournalVersion: version,
	}, nil
}

func getResults(call *call) (any, error) {
	return apitype.UpdateResults{Status: call.update.status}, nil
}

func cancelUpdate(call *call) (any, error) {
	call.stack.end(call.update, apitype.UpdateStatusCancelled)
	return nil, nil
}

func renewLease(call *call) (any, error) {
	call.update.expires = time.Now().Add(call.settings.lease())
	return apitype.RenewUpdateLeaseResponse{Token: call.update.token, TokenExpiration: call.update.expires.Unix()}, nil
}

func completeUpdate(call *call) (any, error) {
	body, err := read[apitype.CompleteUpdateRequest](call)
	if err == nil {
		call.stack.end(call.update, body.Status)
	}
	return nil, err
}

func addToJournal(call *call) (any, error) {
	body, err := read[apitype.JournalEntries](call)
	for _, entry := range body.Entries {
		call.update.journal[entry.SequenceID] = entry
	}
	return nil, err
}

func saveState(call *call) (any, error) {
	body, err := read[apitype.PatchUpdateCheckpointRequest](call)
	if err == nil {
		call.stack.state = &apitype.UntypedDeployment{Version: body.Version, Features: body.Features, Deployment: body.Deployment}
	}
	return nil, err
}

func saveText(call *call) (any, error) {
	body, err := read[apitype.PatchUpdateVerbatimCheckpointRequest](call)
	if err != nil {
		return nil, err
	}
	call.update.sent = string(body.UntypedDeployment)
	return nil, call.saveSent()
}

func saveDelta(call *call) (any, error) {
	body, err := read[apitype.PatchUpdateCheckpointDeltaRequest](call)
	if err != nil {
		return nil, err
	}
	if err := call.update.applyDelta(body); err != nil {
		return nil, err
	}
	return nil, call.saveSent()
}

// saveSent makes what the CLI has sent as text the state.
func (c *call) saveSent() error {
	var state apitype.UntypedDeployment
	if err := json.Unmarshal([]byte(c.update.sent), &state); err != nil {
		return problem(http.StatusBadRequest, err.Error())
	}
	c.stack.state = &state
	return nil
}
