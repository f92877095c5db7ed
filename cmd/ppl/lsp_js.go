package main

import (
	"github.com/spf13/cobra"

	"ppl/cmd/ppl/terminal"
)

func editorCommands(*terminal.Console) []*cobra.Command { return nil }
