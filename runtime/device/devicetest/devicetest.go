// Package devicetest tests the contract of a device: every operation and statement is compared with references that
// share no code with the device, and the guarantees about noise, masks, threads and lanes are checked.
package devicetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"ppl/compiler/backend/ir"
	"ppl/runtime/device"
)

// InLayout returns a device that uses the given layout for all programs.
func InLayout(d device.Device, l ir.Layout) device.Device { return inLayout{d, l} }

type inLayout struct {
	device.Device
	layout ir.Layout
}

// Load loads a copy of the program with the layout.
func (d inLayout) Load(p *ir.Program, o device.Options) (device.Executable, error) {
	q := *p
	q.Layout = d.layout
	return d.Device.Load(&q, o)
}

func load(t testing.TB, d device.Device, p *ir.Program, o device.Options) device.Executable {
	t.Helper()
	if err := ir.Verify(p); err != nil {
		t.Fatalf("the test's program is wrong: %v\n%s", err, p)
	}
	x, err := d.Load(p, o)
	if err != nil {
		t.Fatalf("%s: load: %v\n%s", d.Name(), err, p)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

func run(t testing.TB, x device.Executable, calls []device.Call, step uint64, mask []bool) uint64 {
	t.Helper()
	next, err := x.Run(calls, step, mask)
	if err != nil {
		t.Fatalf("run: %v", err)
	}
	return next
}

// once returns calls that run each entry of a program once.
func once(p *ir.Program) []device.Call {
	var calls []device.Call
	for _, e := range p.Entries {
		calls = append(calls, device.Call{Entry: e.Name, Times: 1})
	}
	return calls
}

// start sets every lane buffer to numbers in (−2, 2) that depend only on buffer, lane and position.
func start(x device.Executable, p *ir.Program, lanes int) {
	for id, b := range p.Buffers {
		if b.Space != ir.Lane {
			continue
		}
		for l := range lanes {
			values, r := make([]float64, b.Size), rand.New(rand.NewPCG(uint64(id), uint64(l)))
			for i := range values {
				values[i] = 4*r.Float64() - 2
			}
			x.SetLane(b.Name, l, values)
		}
	}
}

// Agree runs all entries of a program once on two devices from the same start and compares every lane buffer. tol is
// relative to the buffer's largest number, since devices may sum in different orders.
func Agree(t *testing.T, got, want device.Device, p *ir.Program, o device.Options, tol float64) {
	t.Helper()
	if err := difference(p, o.Lanes, load(t, got, p, o), load(t, want, p, o), tol); err != nil {
		t.Fatalf("%s against %s: %v\n%s", got.Name(), want.Name(), err, p)
	}
}

// difference runs two executables of a program from the same start and reports the first number that differs.
func difference(p *ir.Program, lanes int, got, want device.Executable, tol float64) error {
	for _, x := range []device.Executable{got, want} {
		start(x, p, lanes)
		if _, err := x.Run(once(p), 5, nil); err != nil {
			return err
		}
	}
	for _, b := range p.Buffers {
		if b.Space != ir.Lane {
			continue
		}
		g, w := make([]float64, lanes*b.Size), make([]float64, lanes*b.Size)
		got.Get(b.Name, g)
		want.Get(b.Name, w)
		scale := largest(w)
		for i := range w {
			if !near(g[i], w[i], tol*scale) {
				return fmt.Errorf("%s[%d] of lane %d: got %v, want %v", b.Name, i%b.Size, i/b.Size, g[i], w[i])
			}
		}
	}
	return nil
}

func largest(x []float64) float64 {
	m := 1.0
	for _, v := range x {
		if a := math.Abs(v); a > m && !math.IsInf(a, 0) {
			m = a
		}
	}
	return m
}

// near reports equality up to tol, where NaN equals NaN and infinities equal themselves.
func near(got, want, tol float64) bool {
	if want != want || math.IsInf(want, 0) {
		return got == want || got != got && want != want
	}
	return math.Abs(got-want) <= tol
}
