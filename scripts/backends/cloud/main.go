// Serves the HTTP protocol of Pulumi Cloud to the tests and the bench, with all states in memory.
//
// It prints its address on its first line, ends with its input, and is controlled by PATCH /@settings. The protocol's types and the
// replay of a run's journal are those of the CLI itself.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
)

func main() {
	address := flag.String("address", "127.0.0.1:0", "where to listen")
	flag.Parse()
	listener, err := net.Listen("tcp", *address)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	log.Fatal(http.Serve(listener, newServer()))
}
