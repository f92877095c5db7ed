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

// openCUDA opens the GPU with the given number, or all GPUs of the same model.
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

// withOthers returns a device that combines the first GPU with the others of the same model.
func withOthers(first *gpu.Device) (device.Device, error) {
	all := []device.Device{first}
	for number := 1; number < first.Info().Devices; number++ {
		d, err := gpuNumber(number)
		if err != nil {
			return nil, fmt.Errorf("GPU %d: %w; --device cuda:0 uses only the first GPU", number, err)
		}
		if d.Info().Name == first.Info().Name {
			all = append(all, d)
		} else if err := d.Close(); err != nil {
			return nil, err
		}
	}
	return multidevice.Of(all...), nil
}

// gpuNumber opens a GPU, and checks the result of a small program against the host device.
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

// A stated device writes a note about the resources that its largest program needs.
type stated struct {
	device.Device
	note  func(string)
	lanes int // number of lanes of that program
}

// Load loads a program, and writes the note if the program is the largest so far.
func (d *stated) Load(p *ir.Program, o device.Options) (device.Executable, error) {
	x, err := d.Device.Load(p, o)
	if s, ok := x.(interface{ Statement() string }); ok && o.Lanes > d.lanes {
		d.note(s.Statement())
		d.lanes = o.Lanes
	}
	return x, err
}

// A gpuForMany is the GPU that the device auto uses for programs on many lanes. It is opened when such a program is
// first loaded.
type gpuForMany struct {
	note   func(string)
	sought bool
	device device.Device // nil if there is no GPU, or using it is not worthwhile
}

// lanesPerCore is the minimum number of lanes per thread for which the GPU is used. A GPU takes about 5 µs for a step
// of a small model on up to about ten thousand lanes; a processor core processes about 125 lanes in that time
// (estimates from data sheets, not measured). The limit is twice that number.
const lanesPerCore = 250

// load loads a program on the GPU. It returns nil if there are few lanes, or if no GPU can run the program.
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
		g.note(fmt.Sprintf("the GPU is not used: %v", err))
		g.device = nil
		return nil
	}
	return x
}

// find opens the first GPU and others of the same model. It writes no note if the machine has no GPU.
func (g *gpuForMany) find(lanes, threads int) {
	if !cuda.Installed() {
		return
	}
	d, err := gpuNumber(0)
	if err != nil {
		g.note(fmt.Sprintf("the GPU is not used: %v", err))
		return
	}
	if why := d.Unsuited(); why != "" {
		g.note("the GPU is not used: " + why)
		_ = d.Close() // nothing was loaded on it
		return
	}
	all, err := withOthers(d)
	if err != nil {
		g.note(fmt.Sprintf("the GPU is not used: %v", err))
		return
	}
	g.note(fmt.Sprintf("running on the GPU, as there are %d lanes, at least %d for each of %d threads; --device "+
		"native chooses the processor", lanes, lanesPerCore, threads))
	g.device = &stated{Device: all, note: g.note}
}
