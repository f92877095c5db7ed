package main

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"ppl/compiler/ir"
	"ppl/infer"
	"ppl/lang/diag"
	"ppl/runtime/device"
	"ppl/runtime/gorgonia"
	"ppl/runtime/host"
	"ppl/runtime/native"
)

// A deviceRow is a device that --device can name.
type deviceRow struct {
	name, doc string
	// open passes remarks about the device to the user, by note.
	open func(note func(string)) (infer.Device, error)
}

// auto is the device without a flag. It is no device of its own, but chooses one.
const auto = "auto"

func devices() []deviceRow {
	return []deviceRow{
		{auto, "native where a C compiler works, else host", openAuto},
		{"native", "machine code, by the system's C compiler", openNative},
		{"host", "pure Go, some ten times slower, needs nothing", openHost},
		{"gorgonia", "Gorgonia's tape machine, some thousand times slower, to check the others", openGorgonia},
	}
}

func deviceNames() []string {
	var names []string
	for _, d := range devices() {
		names = append(names, d.name)
	}
	return names
}

// findDevice refuses a name that is no device's.
func findDevice(name string) (deviceRow, error) {
	for _, d := range devices() {
		if d.name == name {
			return d, nil
		}
	}
	if near, ok := diag.Nearest(name, deviceNames()); ok {
		return deviceRow{}, usagef("there is no device %q; did you mean %q?", name, near)
	}
	return deviceRow{}, usagef("there is no device %q; there are %s", name, listed(deviceNames()))
}

// addDeviceFlag adds --device to a command that runs on one.
func addDeviceFlag(f *pflag.FlagSet, name *string) {
	f.StringVar(name, "device", auto, "run on `D`: "+deviceDocs())
}

// deviceDocs is all devices and what they are.
func deviceDocs() string {
	var docs []string
	for _, d := range devices() {
		docs = append(docs, fmt.Sprintf("%s (%s)", d.name, d.doc))
	}
	return listed(docs)
}

// listed is words as a list: a, b and c.
func listed(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// checkDevice refuses a name that is no device's.
func checkDevice(name string) error {
	_, err := findDevice(name)
	return err
}

// openDevice opens a device by the name on the command line; note reports to the user what auto chose.
func openDevice(name string, note func(string)) (infer.Device, error) {
	d, err := findDevice(name)
	if err != nil {
		return nil, err
	}
	x, err := d.open(note)
	if err != nil {
		return nil, failed(err)
	}
	return x, nil
}

func openHost(func(string)) (infer.Device, error) { return infer.Lowered(host.Device{}), nil }

func openNative(note func(string)) (infer.Device, error) {
	d, err := native.New()
	if err != nil {
		return nil, err
	}
	return infer.Lowered(&advised{Device: d, note: note}), nil
}

func openGorgonia(note func(string)) (infer.Device, error) {
	note(gorgonia.Advice)
	return gorgonia.Device{}, nil
}

const onHost = "running on the portable host device, some ten times slower than compiled code: %v"

func openAuto(note func(string)) (infer.Device, error) {
	d, err := native.New()
	if err != nil {
		note(fmt.Sprintf(onHost, err))
		return openHost(note)
	}
	return infer.Lowered(&autoDevice{note, &advised{Device: d, note: note}}), nil
}

// An autoDevice is native until the compiler fails on a program, which then runs on host, as does all that follows.
type autoDevice struct {
	note func(string)
	device.Device
}

// Load loads on native, or says why it cannot and loads on host.
func (d *autoDevice) Load(p *ir.Program, o device.Options) (device.Executable, error) {
	x, err := d.Device.Load(p, o)
	if err == nil || d.Name() == (host.Device{}).Name() {
		return x, err
	}
	d.note(fmt.Sprintf(onHost, err))
	d.Device = host.Device{}
	return d.Device.Load(p, o)
}

// An advised device passes on, once, what its device knows to make it faster.
type advised struct {
	device.Device
	note func(string)
	said bool
}

// Load loads, and passes on the advice.
func (d *advised) Load(p *ir.Program, o device.Options) (device.Executable, error) {
	x, err := d.Device.Load(p, o)
	if a, ok := d.Device.(device.Adviser); ok && !d.said && a.Advice() != "" {
		d.note(a.Advice())
		d.said = true
	}
	return x, err
}
