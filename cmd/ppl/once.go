//go:build !js

package main

import (
	"context"
	"os"
)

// carryOut carries out the command of the process.
func carryOut(ctx context.Context, c *console) (code int) { return run(ctx, os.Args[1:], c) }
