// Package devices opens the devices on which a model can run, by the names that --device accepts:
//
//	device, err := devices.Open(ctx, "native", note)   // machine code by the system's C compiler
//	device, err := devices.Open(ctx, "cuda:1", note)   // the second GPU
//	device, err := devices.Open(ctx, devices.Auto, note)
package devices

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"ppl/app/fault"
	"ppl/compiler/backend/ir"
	"ppl/infer"
	"ppl/lang/diag"
	"ppl/runtime/device"
	"ppl/runtime/gorgonia"
	"ppl/runtime/gpu/cuda"
	"ppl/runtime/host"
	"ppl/runtime/native"
)

// A Row describes a device that --device accepts.
type Row struct {
	Name, Doc string

	// open opens the device with the given number, or all of them (allOfThem), and writes remarks for the user by note.
	// Cancelling the context stops compilers that it starts.
	open func(ctx context.Context, number int, note func(string)) (infer.Device, error)
	many bool // whether there may be several, distinguished by number

	linked bool // whether this build of ppl includes the device
}

// First returns the name of the device, or of the first one if there may be several.
func (r Row) First() string {
	if r.many {
		return r.Name + ":0"
	}
	return r.Name
}

// allOfThem is the number of a device if the name contains none.
const allOfThem = -1

// Auto is the name of the default device, which chooses among the others.
const Auto = "auto"

// All lists the devices, Auto first.
func All() []Row {
	return []Row{
		{Auto, "native if a C compiler works, else host; cuda for thousands of walkers, if there is a GPU", openAuto,
			false, true},
		{"native", "machine code, by the system's C compiler", openNative, false, native.Linked},
		{"cuda", "NVIDIA GPUs, for thousands of walkers or much data; cuda:1 is the second alone", openCUDA, true,
			cuda.Linked},
		{"host", "pure Go, some ten times slower, needs nothing", openHost, false, true},
		{"gorgonia", "Gorgonia's tape machine, some thousand times slower, to check the others", openGorgonia, false,
			gorgonia.Linked},
	}
}

func names() []string {
	var names []string
	for _, d := range All() {
		names = append(names, d.Name)
	}
	return names
}

// Built lists the devices that this build includes, whether or not they work on this machine.
func Built() (all []string) {
	for _, d := range All() {
		if d.linked && d.Name != Auto {
			all = append(all, d.Name)
		}
	}
	return all
}

// find returns a device and its number, given a name such as cuda or cuda:1.
func find(name string) (Row, int, error) {
	base, number, numbered := strings.Cut(name, ":")
	for _, d := range All() {
		n, err := strconv.Atoi(number)
		switch {
		case d.Name != base:
		case !numbered:
			return d, allOfThem, nil
		case d.many && err == nil && n >= 0:
			return d, n, nil
		}
	}
	return Row{}, 0, fault.Usagef("there is no device %q; %s", name,
		diag.MeantAmong(names(), "%q", name, "there are "+diag.And(names())))
}

// Docs describes all devices in one sentence.
func Docs() string {
	var docs []string
	for _, d := range All() {
		docs = append(docs, fmt.Sprintf("%s (%s)", d.Name, d.Doc))
	}
	return diag.And(docs)
}

// Check returns an error of kind fault.Usage if no device has the name.
func Check(name string) error {
	_, _, err := find(name)
	return err
}

// Open opens a device by name. note receives the choice of Auto. Cancelling the context stops compilers that the device
// starts, even later. The error is of kind fault.Usage if no device has the name, else fault.Failure.
func Open(ctx context.Context, name string, note func(string)) (infer.Device, error) {
	d, number, err := find(name)
	if err != nil {
		return nil, err
	}
	x, err := d.open(ctx, number, note)
	if err != nil {
		return nil, fault.Of(err)
	}
	return x, nil
}

func openHost(context.Context, int, func(string)) (infer.Device, error) {
	return infer.Lowered(host.Device{}), nil
}

func openNative(ctx context.Context, _ int, note func(string)) (infer.Device, error) {
	d, err := openCompiler(ctx, note)
	if err != nil {
		return nil, err
	}
	return infer.Lowered(d), nil
}

func openGorgonia(_ context.Context, _ int, note func(string)) (infer.Device, error) {
	d, err := gorgonia.Open()
	if err != nil {
		return nil, err
	}
	note(gorgonia.Advice)
	return d, nil
}

const onHost = "running on the portable host device, some ten times slower than compiled code: %v"

func openAuto(ctx context.Context, _ int, note func(string)) (infer.Device, error) {
	d, err := openCompiler(ctx, note)
	switch {
	case ctx.Err() != nil:
		return nil, err
	case err != nil:
		note(fmt.Sprintf(onHost, err))
		return openHost(ctx, 0, note)
	}
	return infer.Lowered(&autoDevice{ctx, gpuForMany{note: note}, note, d}), nil
}

// An autoDevice uses the native device until the compiler fails on a program; this program and all later ones run on
// the host device. Programs on many lanes run on a GPU if there is a suitable one.
type autoDevice struct {
	ctx  context.Context // context of the command; if it has ended, the compiler did not fail
	gpu  gpuForMany
	note func(string)
	device.Device
}

// Load loads a program on a GPU or the native device. If that fails, it writes a note and loads the program on the host
// device.
func (d *autoDevice) Load(p *ir.Program, o device.Options) (device.Executable, error) {
	if x := d.gpu.load(p, o); x != nil {
		return x, nil
	}
	x, err := d.Device.Load(p, o)
	if err == nil || d.ctx.Err() != nil || d.Name() == (host.Device{}).Name() {
		return x, err
	}
	d.note(fmt.Sprintf(onHost, err))
	d.Device = host.Device{}
	return d.Device.Load(p, o)
}

// compilerIsLate is the time after which a note reports that ppl waits for the compiler.
const compilerIsLate = 20 * time.Second

// openCompiler opens the native device, with a note if its compiler takes long.
func openCompiler(ctx context.Context, note func(string)) (device.Device, error) {
	defer waitingForCompiler(note).Stop()
	d, err := native.NewContext(ctx)
	if err != nil {
		return nil, err
	}
	return &patient{Device: d, note: note}, nil
}

func waitingForCompiler(note func(string)) *time.Timer {
	return time.AfterFunc(compilerIsLate, func() {
		note(fmt.Sprintf("the C compiler has been running for %v; Ctrl-C stops it, and --device host does not need it",
			compilerIsLate))
	})
}

// A patient device writes a note if its compiler takes long.
type patient struct {
	device.Device
	note func(string)
}

// Load loads the program.
func (d *patient) Load(p *ir.Program, o device.Options) (device.Executable, error) {
	late := waitingForCompiler(d.note)
	defer late.Stop()
	return d.Device.Load(p, o)
}
