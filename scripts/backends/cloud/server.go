package main

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
)

// server is the service: its settings, its stacks, and its routes.
type server struct {
	mutex    sync.Mutex
	settings Settings
	stacks   map[stackName]*stack
	routes   *http.ServeMux
	cipher   cipher
	count    int
}

// call is one request of the CLI.
type call struct {
	*http.Request
	settings Settings
	stack    *stack
	update   *update
}

// handler replies to a call with what is written as JSON, or with an error.
type handler func(call *call) (any, error)

func newServer() *server {
	s := &server{
		settings: defaultSettings(),
		stacks:   map[stackName]*stack{},
		routes:   http.NewServeMux(),
		cipher:   newCipher(),
	}
	s.routes.HandleFunc("PATCH /@settings", s.changeSettings)
	s.addRoutes()
	return s
}

func (s *server) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	s.mutex.Lock()
	outage := s.settings.Outage
	s.mutex.Unlock()
	if outage && strings.HasPrefix(request.URL.Path, "/api/") {
		panic(http.ErrAbortHandler) // It closes the connection.
	}
	s.routes.ServeHTTP(writer, request)
}

// changeSettings changes the settings that its body has, and replies with all.
func (s *server) changeSettings(writer http.ResponseWriter, request *http.Request) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	reply(writer, &s.settings, json.NewDecoder(request.Body).Decode(&s.settings))
}

// handle adds a route for calls with an access token.
func (s *server) handle(pattern string, needs access, handle handler) {
	s.route(pattern, func(call *call) (any, error) {
		token, _ := strings.CutPrefix(call.Header.Get("Authorization"), "token ")
		switch allowed := call.settings.accessOf(token); {
		case allowed == 0:
			return nil, problem(http.StatusUnauthorized, "Unauthorized: No credentials provided or are invalid")
		case allowed < needs:
			return nil, problem(http.StatusForbidden, "Forbidden: The token does not have the permission")
		}
		return handle(call)
	})
}

// handleUpdate adds a route for calls of an update that is running: they have its token.
func (s *server) handleUpdate(pattern string, handle handler) {
	s.route(pattern, func(call *call) (any, error) {
		token, _ := strings.CutPrefix(call.Header.Get("Authorization"), "update-token ")
		if token != call.update.token || call.update.status != apitype.StatusRunning {
			return nil, problem(http.StatusForbidden, "Forbidden: The update token is invalid or has expired")
		}
		return handle(call)
	})
}

// route adds a route. A call finds the stack and the update of its path, and calls exclude each other.
func (s *server) route(pattern string, handle handler) {
	s.routes.HandleFunc(pattern, func(writer http.ResponseWriter, request *http.Request) {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		result, err := s.find(request, handle)
		reply(writer, result, err)
	})
}

func (s *server) find(request *http.Request, handle handler) (any, error) {
	call := &call{Request: request, settings: s.settings}
	if request.PathValue("stack") != "" {
		found := s.stacks[nameOf(request)]
		if found == nil {
			return nil, problem(http.StatusNotFound, "Not Found: Stack '"+request.PathValue("stack")+"' not found")
		}
		found.settle()
		call.stack = found
	}
	if id := request.PathValue("update"); id != "" {
		if call.update = call.stack.updates[id]; call.update == nil {
			return nil, problem(http.StatusNotFound, "Not Found: Update not found")
		}
	}
	return handle(call)
}

func nameOf(request *http.Request) stackName {
	return stackName{request.PathValue("organization"), request.PathValue("project"), request.PathValue("stack")}
}

// read parses the body of a call.
func read[T any](call *call) (T, error) {
	var body T
	var source io.Reader = call.Body
	if call.Header.Get("Content-Encoding") == "gzip" {
		unzipped, err := gzip.NewReader(call.Body)
		if err != nil {
			return body, problem(http.StatusBadRequest, err.Error())
		}
		source = unzipped
	}
	if err := json.NewDecoder(source).Decode(&body); err != nil {
		return body, problem(http.StatusBadRequest, err.Error())
	}
	return body, nil
}

func reply(writer http.ResponseWriter, result any, err error) {
	writer.Header().Set("Content-Type", "application/json")
	if err != nil {
		failure := &apitype.ErrorResponse{Code: http.StatusBadRequest, Message: err.Error()}
		errors.As(err, &failure)
		writer.WriteHeader(failure.Code)
		result = failure
	}
	if result == nil {
		result = struct{}{}
	}
	must(json.NewEncoder(writer).Encode(result))
}

func problem(status int, message string) error {
	return &apitype.ErrorResponse{Code: status, Message: message}
}
