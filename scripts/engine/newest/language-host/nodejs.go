package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	codegen "github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil"
	"github.com/pulumi/pulumi/sdk/v3/nodejs/npm"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

type nodejs struct{}

func (nodejs) flags(info *pulumirpc.ProgramInfo) []string {
	return []string{"--root", info.GetRootDirectory()}
}

func (nodejs) install(ctx context.Context, request *pulumirpc.InstallDependenciesRequest, out io.Writer) error {
	folder := request.GetInfo().GetProgramDirectory()
	_, err := npm.Install(ctx, npm.NpmPackageManager, folder, request.GetIsPlugin(), out, out)
	return err
}

func (nodejs) generate(
	bound *schema.Package, loader schema.ReferenceLoader, request *pulumirpc.GeneratePackageRequest,
) (map[string][]byte, error) {
	return codegen.GeneratePackage("pulumi-language-nodejs", bound, request.GetExtraFiles(),
		request.GetLocalDependencies(), request.GetLocal(), loader)
}

func (nodejs) link(ctx context.Context, info *pulumirpc.ProgramInfo, folder string) (string, error) {
	root := info.GetRootDirectory()
	text, err := os.ReadFile(filepath.Join(root, folder, "package.json"))
	if err != nil {
		return "", err
	}
	var manifest struct{ Name string }
	if err := json.Unmarshal(text, &manifest); err != nil {
		return "", err
	}
	manager, err := npm.ResolvePackageManager(npm.NpmPackageManager, root)
	if err != nil {
		return "", err
	}
	instruction := fmt.Sprintf("import * as %s from %q;", "webhooks", manifest.Name)
	return instruction, manager.Link(ctx, root, manifest.Name, folder)
}

// RunPlugin starts a plugin that is a folder, with the starter of the SDK that the folder finds.
func (h *host) RunPlugin(
	request *pulumirpc.RunPluginRequest, server pulumirpc.LanguageRuntime_RunPluginServer,
) error {
	closer, stdout, stderr, err := rpcutil.MakeRunPluginStreams(server, false)
	if err != nil {
		return err
	}
	defer closer.Close()
	folder := request.GetInfo().GetProgramDirectory()
	ctx := server.Context()
	find := exec.CommandContext(ctx, "node", "--print", `require.resolve("@pulumi/pulumi/cmd/run-plugin")`)
	find.Dir = folder
	starter, err := find.Output()
	if err != nil {
		return fmt.Errorf("finding @pulumi/pulumi from %s: %w", folder, err)
	}
	args := append([]string{string(starter[:len(starter)-1]), folder}, request.GetArgs()...)
	command := exec.CommandContext(ctx, "node", args...)
	command.Dir, command.Env = request.GetPwd(), request.GetEnv()
	command.Stdout, command.Stderr = stdout, stderr
	return command.Run()
}
