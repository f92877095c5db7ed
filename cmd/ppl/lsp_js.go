package main

import "github.com/spf13/cobra"

func editorCommands(*console) []*cobra.Command { return nil }
