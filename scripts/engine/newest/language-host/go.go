package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	codegen "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"golang.org/x/mod/modfile"
)

type golang struct{}

func (golang) flags(*pulumirpc.ProgramInfo) []string { return nil }

func (golang) install(ctx context.Context, request *pulumirpc.InstallDependenciesRequest, out io.Writer) error {
	return run(ctx, out, request.GetInfo().GetProgramDirectory(), "go", "mod", "tidy")
}

func (golang) generate(
	bound *schema.Package, _ schema.ReferenceLoader, request *pulumirpc.GeneratePackageRequest,
) (map[string][]byte, error) {
	return codegen.GeneratePackage("pulumi-language-go", bound, request.GetLocalDependencies())
}

func (golang) link(ctx context.Context, info *pulumirpc.ProgramInfo, folder string) (string, error) {
	root := info.GetRootDirectory()
	file := filepath.Join(root, folder, "go.mod")
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	module := modfile.ModulePath(text)
	if module == "" {
		return "", fmt.Errorf("%s names no module", file)
	}
	replace := fmt.Sprintf("-replace=%s=./%s", module, filepath.ToSlash(folder))
	require := fmt.Sprintf("-require=%s@v0.0.0", module)
	return fmt.Sprintf("import %q", module), run(ctx, os.Stderr, root, "go", "mod", "edit", replace, require)
}

func run(ctx context.Context, out io.Writer, folder, name string, args ...string) error {
	command := exec.CommandContext(ctx, name, args...)
	command.Dir, command.Stdout, command.Stderr = folder, out, out
	if err := command.Run(); err != nil {
		return fmt.Errorf("%s %v: %w", name, args, err)
	}
	return nil
}
