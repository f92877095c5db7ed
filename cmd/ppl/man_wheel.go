//go:build wheel

package main

import "github.com/spf13/cobra"

func packagerCommands(*console) []*cobra.Command { return nil }
