// Generates the SDK of a Pulumi package for one language, with Pulumi's own code generators, as `pulumi package gen-sdk` does.
//
// The language hosts that the tests use cannot generate SDKs themselves.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	gogen "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

// noDependencies loads no other package: the schema depends on none.
type noDependencies struct{ schema.ReferenceLoader }

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "Usage: generate-sdk <schema.json> <nodejs|python|go> <folder>")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(schemaFile, language, folder string) error {
	bound, err := bind(schemaFile)
	if err != nil {
		return err
	}
	files, err := generate(bound, language)
	if err != nil {
		return fmt.Errorf("generating the SDK for %s: %w", language, err)
	}
	for name, text := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// bind validates the schema against Pulumi's metaschema, and resolves what it refers to. A warning is an error here.
func bind(schemaFile string) (*schema.Package, error) {
	file, err := os.Open(schemaFile)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var spec schema.PackageSpec
	decoder := json.NewDecoder(file)
	decoder.DisallowUnknownFields() // They would be lost before Pulumi validates.
	if err := decoder.Decode(&spec); err != nil {
		return nil, fmt.Errorf("%s: %w", schemaFile, err)
	}
	bound, problems, err := schema.BindSpec(spec, noDependencies{}, schema.ValidationOptions{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", schemaFile, err)
	}
	if len(problems) > 0 {
		return nil, fmt.Errorf("%s: %w", schemaFile, problems)
	}
	return bound, nil
}

func generate(bound *schema.Package, language string) (map[string][]byte, error) {
	const tool = "pulumi"
	switch language {
	case "nodejs":
		return nodejs.GeneratePackage(tool, bound, nil, nil, false, noDependencies{})
	case "python":
		return python.GeneratePackage(tool, bound, nil, noDependencies{})
	case "go":
		return gogen.GeneratePackage(tool, bound, nil)
	default:
		return nil, fmt.Errorf("no generator for %q", language)
	}
}
