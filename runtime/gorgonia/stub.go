//go:build nogorgonia

// Package gorgonia is a placeholder for builds with the tag nogorgonia, which are smaller by a seventh.
package gorgonia

import (
	"errors"

	"ppl/compiler/backend/lower"
	"ppl/runtime/device"
)

// Linked reports whether this build has the device.
const Linked = false

// Device is a placeholder that compiles nothing.
type Device struct{}

// Open returns an error, since this build has no Gorgonia.
func Open() (Device, error) {
	return Device{}, errors.New("gorgonia: this ppl was built without Gorgonia; use --device host")
}

// Name returns "gorgonia".
func (Device) Name() string { return "gorgonia" }

// Advice is empty, since this build does not have the device.
const Advice = ""

// Compile returns the error of Open.
func (Device) Compile([]lower.Entry) (device.Loader, error) {
	_, err := Open()
	return nil, err
}
