//go:build !js

package main

import (
	"context"
	"os"

	"ppl/cmd/ppl/terminal"
)

func carryOut(ctx context.Context, c *terminal.Console) (code int) { return run(ctx, os.Args[1:], c) }
