package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

func (h *host) InstallDependencies(
	request *pulumirpc.InstallDependenciesRequest, server pulumirpc.LanguageRuntime_InstallDependenciesServer,
) error {
	closer, stdout, _, err := rpcutil.MakeInstallDependenciesStreams(server, request.GetIsTerminal())
	if err != nil {
		return err
	}
	defer closer.Close()
	return h.install(server.Context(), request, stdout)
}

func (h *host) GeneratePackage(
	_ context.Context, request *pulumirpc.GeneratePackageRequest,
) (*pulumirpc.GeneratePackageResponse, error) {
	loader, err := schema.NewLoaderClient(request.GetLoaderTarget())
	if err != nil {
		return nil, err
	}
	defer loader.Close()
	bound, err := bind([]byte(request.GetSchema()), loader)
	if err != nil {
		return nil, err
	}
	files, err := h.generate(bound, schema.NewCachedLoader(loader), request)
	if err != nil {
		return nil, err
	}
	for name, text := range files {
		path := filepath.Join(request.GetDirectory(), name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return nil, err
		}
	}
	return &pulumirpc.GeneratePackageResponse{}, nil
}

func (h *host) Link(ctx context.Context, request *pulumirpc.LinkRequest) (*pulumirpc.LinkResponse, error) {
	var instructions []string
	for _, dependency := range request.GetPackages() {
		instruction, err := h.link(ctx, request.GetInfo(), dependency.GetPath())
		if err != nil {
			return nil, fmt.Errorf("linking %s: %w", dependency.GetPath(), err)
		}
		instructions = append(instructions, instruction)
	}
	return &pulumirpc.LinkResponse{ImportInstructions: strings.Join(instructions, "\n")}, nil
}

// bind validates a schema against Pulumi's metaschema, and resolves what it refers to. A warning is an error here.
func bind(text []byte, loader schema.Loader) (*schema.Package, error) {
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.DisallowUnknownFields() // They would be lost before Pulumi validates.
	var spec schema.PackageSpec
	if err := decoder.Decode(&spec); err != nil {
		return nil, err
	}
	bound, problems, err := schema.BindSpec(spec, loader, schema.ValidationOptions{})
	if err != nil {
		return nil, err
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return bound, nil
}
