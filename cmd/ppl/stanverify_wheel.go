//go:build wheel

package main

import (
	"github.com/spf13/cobra"

	"ppl/lang/stan/translate"
)

// verifyFlag adds no flag: wheels have no interpreter of programs of Stan, which takes .15 MB.
func (c *console) verifyFlag(*cobra.Command) func(*stanProgram, *translate.Model) error {
	return func(*stanProgram, *translate.Model) error { return nil }
}
