//go:build wheel

package main

import (
	"github.com/spf13/cobra"

	"ppl/cmd/ppl/terminal"
)

func packagerCommands(*terminal.Console) []*cobra.Command { return nil }
