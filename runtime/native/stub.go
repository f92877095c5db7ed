//go:build nonative || !(linux || darwin) || !(amd64 || arm64)

// Package native is a placeholder for builds with the tag nonative, and for systems other than Linux and macOS on amd64
// or arm64. Such a build has no native device.
package native

import (
	"context"
	"errors"

	"ppl/runtime/device"
)

// Linked reports whether this build has the device.
const Linked = false

// New returns an error, since this build has no native device.
func New() (device.Device, error) { return NewContext(context.Background()) }

// CompilerVersion returns "", since there is no compiler.
func CompilerVersion() string { return "" }

// NewContext returns the error of New.
func NewContext(context.Context) (device.Device, error) {
	return nil, errors.New("native: this ppl was built without the native device; use --device host")
}

// CompileLibrary returns the error of New.
func CompileLibrary(context.Context, string, string) error {
	_, err := New()
	return err
}
