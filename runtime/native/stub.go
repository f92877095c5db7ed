//go:build nonative || !(linux || darwin) || !(amd64 || arm64)

// Package native without a C compiler, for builds with the tag nonative or for other systems: such a build is one
// static file.
package native

import (
	"context"
	"errors"

	"ppl/runtime/device"
)

// Linked: this build does not have the device.
const Linked = false

// New returns the error that there is no native device in this build.
func New() (device.Device, error) { return NewContext(context.Background()) }

// CompilerVersion returns empty, as there is no compiler.
func CompilerVersion() string { return "" }

// NewContext is New.
func NewContext(context.Context) (device.Device, error) {
	return nil, errors.New("native: this ppl was built without the native device; use --device host")
}

// CompileLibrary returns the error that there is no C compiler.
func CompileLibrary(context.Context, string, string) error {
	_, err := New()
	return err
}
