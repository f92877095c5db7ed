// Command ppl compiles Bayesian models and draws from their posteriors. Each verb has a file of its own.
package main

import (
	"context"
	"os"
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], newConsole(os.Stdout, os.Stderr)))
}
