package main

import (
	"context"
	"io"
	"path/filepath"

	codegen "github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/pulumi/pulumi/sdk/v3/python/toolchain"
)

type python struct{}

func (python) flags(info *pulumirpc.ProgramInfo) []string {
	return []string{"--root", info.GetRootDirectory(), "--virtualenv", option(info, "virtualenv")}
}

func (python) install(ctx context.Context, request *pulumirpc.InstallDependenciesRequest, out io.Writer) error {
	pip, err := resolve(request.GetInfo())
	if err != nil {
		return err
	}
	folder := request.GetInfo().GetProgramDirectory()
	return pip.InstallDependencies(ctx, folder, request.GetUseLanguageVersionTools(), true, out, out)
}

func (python) generate(
	bound *schema.Package, loader schema.ReferenceLoader, request *pulumirpc.GeneratePackageRequest,
) (map[string][]byte, error) {
	return codegen.GeneratePackage("pulumi-language-python", bound, request.GetExtraFiles(), loader)
}

func (python) link(ctx context.Context, info *pulumirpc.ProgramInfo, folder string) (string, error) {
	pip, err := resolve(info)
	if err != nil {
		return "", err
	}
	project, err := toolchain.LoadPyproject(filepath.Join(info.GetRootDirectory(), folder))
	if err != nil {
		return "", err
	}
	name := project.Project.Name
	return "import " + name, pip.LinkPackages(ctx, map[string]string{name: folder})
}

func resolve(info *pulumirpc.ProgramInfo) (toolchain.Toolchain, error) {
	return toolchain.ResolveToolchain(toolchain.PythonOptions{
		Root:       info.GetRootDirectory(),
		ProgramDir: info.GetProgramDirectory(),
		Virtualenv: option(info, "virtualenv"),
		Toolchain:  toolchain.Pip,
	})
}

// option returns an option of the runtime in Pulumi.yaml.
func option(info *pulumirpc.ProgramInfo, name string) string {
	return info.GetOptions().GetFields()[name].GetStringValue()
}
