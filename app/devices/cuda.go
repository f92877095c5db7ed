package devices

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"ppl/compiler/backend/ir"
	"ppl/infer"
	"ppl/runtime/device"
	"ppl/runtime/gpu"
	"ppl/runtime/gpu/cuda"
	"ppl/runtime/multidevice"
)

// openCUDA opens a GPU by number, or all that are of one kind.
func openCUDA(_ context.Context, number int, note func(string)) (infer.Device, error) {
	d, err := gpuNumber(max(number, 0))
	if err != nil {
		return nil, err
	}
	var all device.Device = d
	if number == allOfThem {
		if all, err = withOthers(d); err != nil {
			return nil, err
		}
	}
	return infer.Lowered(&stated{Device: all, note: note}), nil
}

// withOthers returns the first GPU of the machine together with the others of its kind.
func withOthers(first *gpu.Device) (device.Device, error) {
	all := []device.Device{first}
	for number := 1; number < first.Info().Devices; number++ {
		d, err := gpuNumber(number)
		if err != nil {
			return nil, fmt.Errorf("GPU %d: %w; --device cuda:0 runs on the first alone", number, err)
		}
		if d.Info().Name == first.Info().Name {
			all = append(all, d)
		} else if err := d.Close(); err != nil {
			return nil, err
		}
	}
	return multidevice.Of(all...), nil
}

// gpuNumber opens a GPU and compares a small program on it with host.
func gpuNumber(number int) (*gpu.Device, error) {
	driver, err := cuda.Open(number)
	if err != nil {
		return nil, err
	}
	d := gpu.New(driver)
	if err := d.Check(); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// A stated device says, once, what the largest program so far takes of it.
type stated struct {
	device.Device
	note  func(string)
	lanes int // of that program
}

// Load loads, and says what that takes.
func (d *stated) Load(p *ir.Program, o device.Options) (device.Executable, error) {
	x, err := d.Device.Load(p, o)
	if s, ok := x.(interface{ Statement() string }); ok && o.Lanes > d.lanes {
		d.note(s.Statement())
		d.lanes = o.Lanes
	}
	return x, err
}

// A gpuForMany is the GPU that auto takes for programs on many lanes. It is looked for when one needs it.
type gpuForMany struct {
	note   func(string)
	sought bool
	device device.Device // nil: there is none, or it is not worth it
}

// A GPU takes some 5 µs for a step of a small model on up to some ten thousand lanes, in which a processor core does
// some 125 lanes (estimates from data sheets; nothing has been measured). Twice as many lanes are the least for it.
const lanesPerCore = 250

// load loads a program on the GPU; nil if the lanes are few, or there is no GPU that can.
func (g *gpuForMany) load(p *ir.Program, o device.Options) device.Executable {
	threads := o.Threads
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	if o.Lanes < lanesPerCore*threads {
		return nil
	}
	if !g.sought {
		g.sought = true
		g.find(o.Lanes, threads)
	}
	if g.device == nil {
		return nil
	}
	x, err := g.device.Load(p, o)
	if err != nil {
		g.note(fmt.Sprintf("not on the GPU: %v", err))
		g.device = nil
		return nil
	}
	return x
}

// find opens the first GPU, and others of its kind. A machine that has none is not mentioned.
func (g *gpuForMany) find(lanes, threads int) {
	if !cuda.Installed() {
		return
	}
	d, err := gpuNumber(0)
	if err != nil {
		g.note(fmt.Sprintf("not on the GPU: %v", err))
		return
	}
	if why := d.Unsuited(); why != "" {
		g.note("not on the GPU: " + why)
		_ = d.Close() // nothing was loaded on it
		return
	}
	all, err := withOthers(d)
	if err != nil {
		g.note(fmt.Sprintf("not on the GPU: %v", err))
		return
	}
	g.note(fmt.Sprintf("on the GPU, as %d lanes are more than %d for each of %d threads; --device native chooses the "+
		"processor", lanes, lanesPerCore, threads))
	g.device = &stated{Device: all, note: g.note}
}
