//go:build nogorgonia

package models

import (
	"ppl/app/fault"
	"ppl/cmd/ppl/terminal"
	"ppl/runtime/gorgonia"
)

// printGorgonia returns the error that this build does not include Gorgonia.
func printGorgonia(*terminal.Console, string, []string) error {
	_, err := gorgonia.Open()
	return fault.Of(err)
}
