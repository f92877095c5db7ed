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
// devices run IR (see Lowered); Gorgonia's tape machine runs the graphs themselves (runtime/gorgonia).
type Device interface {
	Name() string
	Compile(entries []lower.Entry) (device.Loader, error)
}

// Lowered wraps a device that runs IR: entries are lowered to IR before they are passed to it.
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

// Load checks first whether the program fits into memory, and returns a Refusal if it does not.
func (p program) Load(o device.Options) (device.Executable, error) {
	if err := memory.Fits(p.ir, o.Lanes, cmp.Or(o.Threads, runtime.GOMAXPROCS(0)), memory.Limit()); err != nil {
		return nil, Refusal{err}
	}
	return p.device.Load(p.ir, o)
}
