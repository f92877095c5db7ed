//go:build nogorgonia

package main

import (
	"ppl/app/fault"
	"ppl/runtime/gorgonia"
)

// printGorgonia returns the error that this build has no Gorgonia.
func printGorgonia(*console, string, []string) error {
	_, err := gorgonia.Open()
	return fault.Of(err)
}
