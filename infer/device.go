package infer

import (
	"cmp"
	"runtime"

	"ppl/compiler/backend/ir"
	"ppl/compiler/backend/lower"
	"ppl/runtime/device"
	"ppl/runtime/sys/memory"
)

// A Device compiles the entries of a sampler, which are given as graphs. How it runs them is up to the device: most
// run IR (Lowered), and Gorgonia's tape machine runs graphs (runtime/gorgonia).
type Device interface {
	Name() string
	Compile(entries []lower.Entry) (device.Loader, error)
}

// Lowered returns a device of IR programs, which gets entries lowered.
func Lowered(d device.Device) Device { return lowered{d} }

type lowered struct{ device device.Device }

func (l lowered) Name() string { return l.device.Name() }

func (l lowered) Compile(entries []lower.Entry) (device.Loader, error) {
	p, err := lower.Program(entries)
	return program{l.device, p}, err
}

type program struct {
	device device.Device
	ir     *ir.Program
}

func (p program) Buffers() []ir.Buffer { return p.ir.Buffers }

// Load returns an error for a program that does not fit into memory before the device begins to fill it.
func (p program) Load(o device.Options) (device.Executable, error) {
	if err := memory.Fits(p.ir, o.Lanes, cmp.Or(o.Threads, runtime.GOMAXPROCS(0)), memory.Limit()); err != nil {
		return nil, Refusal{err}
	}
	return p.device.Load(p.ir, o)
}
