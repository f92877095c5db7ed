//go:build nogorgonia

// Package gorgonia without Gorgonia, for builds with the tag nogorgonia: such a build is smaller by a seventh.
package gorgonia

import (
	"errors"

	"ppl/compiler/backend/lower"
	"ppl/runtime/device"
)

// Linked: this build does not have the device.
const Linked = false

// Device compiles nothing.
type Device struct{}

// Open returns the error that there is no Gorgonia in this build.
func Open() (Device, error) {
	return Device{}, errors.New("gorgonia: this ppl was built without Gorgonia; use --device host")
}

// Name is "gorgonia".
func (Device) Name() string { return "gorgonia" }

// Advice is empty, as there is no device.
const Advice = ""

// Compile returns the error of Open.
func (Device) Compile([]lower.Entry) (device.Loader, error) {
	_, err := Open()
	return nil, err
}
