//go:build !js

package main

import (
	"context"
	"os"

	"ppl/cmd/ppl/terminal"
)

// carryOut carries out the command line of the process.
func carryOut(ctx context.Context, c *terminal.Console) (code int) { return run(ctx, os.Args[1:], c) }
