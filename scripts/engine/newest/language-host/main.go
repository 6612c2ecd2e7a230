// Serves Pulumi's protocol of language hosts for Python, Go and Node.js, where the official download is out of reach.
//
// No Go module has Pulumi's own hosts of this version. The last ones that are in a module run programs, but cannot generate or
// link SDKs. This host lets one of them run the program, and does the rest as Pulumi's own hosts do: by Pulumi's generators and
// toolchains of this version.
package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/emptypb"
)

// language is what differs from one language to the next.
type language interface {
	// flags returns the flags with which the older host of this language runs a program.
	flags(info *pulumirpc.ProgramInfo) []string
	install(ctx context.Context, request *pulumirpc.InstallDependenciesRequest, out io.Writer) error
	generate(bound *schema.Package, loader schema.ReferenceLoader, request *pulumirpc.GeneratePackageRequest) (
		map[string][]byte, error)
	// link adds the SDK in a folder of the program to it, and returns how to import it.
	link(ctx context.Context, info *pulumirpc.ProgramInfo, folder string) (string, error)
}

const prefix = "pulumi-language-"

var languages = map[string]language{"python": python{}, "go": golang{}, "nodejs": nodejs{}}

type host struct {
	pulumirpc.UnimplementedLanguageRuntimeServer
	language
	older  string // The executable of Pulumi's older host.
	engine string // The engine's address.
}

func main() {
	if err := serve(os.Args); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(args []string) error {
	executable, err := exec.LookPath(args[0])
	if err != nil {
		return err
	}
	name := strings.TrimPrefix(filepath.Base(executable), prefix)
	found, ok := languages[name]
	if !ok || len(args) < 2 {
		return fmt.Errorf("usage: %s{python,go,nodejs} <address of the engine>", prefix)
	}
	real, err := filepath.EvalSymlinks(executable)
	if err != nil {
		return err
	}
	engine := args[len(args)-1]
	older := filepath.Join(filepath.Dir(real), "older", prefix+name)
	cancel := make(chan bool)
	// When the engine has gone, this process ends.
	if err := rpcutil.Healthcheck(context.Background(), engine, time.Second, func() { close(cancel) }); err != nil {
		return err
	}
	handle, err := rpcutil.ServeWithOptions(rpcutil.ServeOptions{
		Cancel: cancel,
		Init: func(server *grpc.Server) error {
			pulumirpc.RegisterLanguageRuntimeServer(server, &host{language: found, older: older, engine: engine})
			return nil
		},
	})
	if err != nil {
		return err
	}
	fmt.Println(handle.Port)
	return <-handle.Done
}

func (h *host) GetPluginInfo(context.Context, *emptypb.Empty) (*pulumirpc.PluginInfo, error) {
	return &pulumirpc.PluginInfo{}, nil
}

func (h *host) GetRequiredPlugins(
	ctx context.Context, request *pulumirpc.GetRequiredPluginsRequest,
) (response *pulumirpc.GetRequiredPluginsResponse, err error) {
	err = h.forward(ctx, request.GetInfo(), func(older pulumirpc.LanguageRuntimeClient) error {
		response, err = older.GetRequiredPlugins(ctx, request)
		return err
	})
	if err == nil {
		response.Plugins = slices.DeleteFunc(response.Plugins, isLibrary)
	}
	return response, err
}

// isLibrary reports whether a dependency of Pulumi's SDK only has the name of a plugin.
func isLibrary(plugin *pulumirpc.PluginDependency) bool { return plugin.GetName() == "cloud-sdk" }

func (h *host) Run(
	ctx context.Context, request *pulumirpc.RunRequest,
) (response *pulumirpc.RunResponse, err error) {
	err = h.forward(ctx, request.GetInfo(), func(older pulumirpc.LanguageRuntimeClient) error {
		response, err = older.Run(ctx, request)
		return err
	})
	return response, err
}

// forward starts the older host for one call.
func (h *host) forward(
	ctx context.Context, info *pulumirpc.ProgramInfo, call func(pulumirpc.LanguageRuntimeClient) error,
) error {
	command := exec.CommandContext(ctx, h.older, append(h.flags(info), h.engine)...)
	command.Stderr = os.Stderr
	stdout, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return err
	}
	copied := make(chan struct{})
	defer func() {
		_ = command.Process.Kill()
		<-copied
		_ = command.Wait()
	}()
	printed := bufio.NewReader(stdout)
	port, err := printed.ReadString('\n')
	go func() {
		defer close(copied)
		_, _ = io.Copy(os.Stdout, printed) // What the program prints.
	}()
	if err != nil {
		return fmt.Errorf("%s printed no port: %w", h.older, err)
	}
	connection, err := grpc.NewClient("127.0.0.1:"+strings.TrimSpace(port),
		grpc.WithTransportCredentials(insecure.NewCredentials()), rpcutil.GrpcChannelOptions())
	if err != nil {
		return err
	}
	defer connection.Close()
	return call(pulumirpc.NewLanguageRuntimeClient(connection))
}
