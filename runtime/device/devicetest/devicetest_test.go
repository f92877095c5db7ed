package devicetest

import (
	"slices"
	"testing"

	"ppl/compiler/backend/ir"
	"ppl/runtime/device"
)

// TestReference: the reference gives the answers worked out by hand, and keeps the promises that a slow device can.
func TestReference(t *testing.T) {
	for _, c := range handmade() {
		t.Run(c.name, func(t *testing.T) { c.run(t, Reference{}, 3) })
	}
	testSchedule(t, Reference{})
	testMasks(t, Reference{})
	testBuffers(t, Reference{})
	testGiven(t, Reference{})
}

// A forgetful executable takes some of what it is given only before its first run.
type forgetful struct {
	device.Executable
	forgets string
	ran     bool
}

func (f *forgetful) Set(name string, values []float64) {
	if !f.ran || name != f.forgets {
		f.Executable.Set(name, values)
	}
}

func (f *forgetful) Run(calls []device.Call, step uint64, mask []bool) (uint64, error) {
	f.ran = true
	return f.Executable.Run(calls, step, mask)
}

// A device that keeps what it was given at first, or gives each lane a copy of its own, is found out.
func TestGivenFaultsAreSeen(t *testing.T) {
	for name, fault := range map[string]func(x device.Executable) device.Executable{
		"m": func(x device.Executable) device.Executable { return &forgetful{Executable: x, forgets: "m"} },
		"s": func(x device.Executable) device.Executable { return &forgetful{Executable: x, forgets: "s"} },
		"of one lane": func(x device.Executable) device.Executable {
			r := x.(*reference)
			for l := range r.lanes[1:] {
				r.lanes[1+l][0] = slices.Clone(r.lanes[1+l][0])
			}
			return r
		},
	} {
		x, _ := Reference{}.Load(givenProgram(), device.Options{Lanes: 3})
		if checkGiven(fault(x), 3) == nil {
			t.Errorf("%s: the fault is not seen", name)
		}
	}
}

// TestRandomIsValid over more seeds than devices are tried on.
func TestRandomIsValid(t *testing.T) {
	for seed := range uint64(500) {
		for _, p := range []*ir.Program{Random(seed), RandomSingle(seed)} {
			if err := ir.Verify(p); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
	}
}

// faulty is the reference with one fault planted in every program.
type faulty struct {
	Reference
	damage func(k *ir.Kernel) bool
}

func (f faulty) Load(p *ir.Program, o device.Options) (device.Executable, error) {
	for _, s := range p.Entries[0].Body {
		if k, ok := s.(*ir.Kernel); ok && f.damage(k) {
			break
		}
	}
	return f.Reference.Load(p, o)
}

// TestFaultsAreSeen: a device that takes an op for another, forgets a combination, or loads a neighbour is found out,
// in either precision.
func TestFaultsAreSeen(t *testing.T) {
	t.Run("double", func(t *testing.T) { testFaults(t, Random, 1e-11) })
	t.Run("single", func(t *testing.T) { testFaults(t, RandomSingle, singleRandom) })
}

func testFaults(t *testing.T, random func(seed uint64) *ir.Program, tol float64) {
	for name, damage := range map[string]func(k *ir.Kernel) bool{
		"op":      func(k *ir.Kernel) bool { return swap(k, ir.Add, ir.Sub) },
		"combine": func(k *ir.Kernel) bool { return forget(k) },
		"index":   func(k *ir.Kernel) bool { return shift(k) },
	} {
		seen := 0
		for seed := range uint64(24) {
			p := random(seed)
			want, _ := Reference{}.Load(p, device.Options{Lanes: 1})
			got, _ := faulty{damage: damage}.Load(random(seed), device.Options{Lanes: 1})
			if difference(p, 1, got, want, tol) != nil {
				seen++
			}
		}
		if seen < 4 {
			t.Errorf("%s: seen in %d of 24 programs", name, seen)
		}
	}
}

func swap(k *ir.Kernel, from, to ir.Op) bool {
	for i := range k.Body {
		if k.Body[i].Op == from {
			k.Body[i].Op = to
			return true
		}
	}
	return false
}

func forget(k *ir.Kernel) bool {
	for i := range k.Out {
		if k.Out[i].Combine == ir.Sum && k.Points() > 1 {
			k.Out[i].Combine = ir.Store
			return true
		}
	}
	return false
}

func shift(k *ir.Kernel) bool {
	for i := range k.Body {
		if in := &k.Body[i]; in.Op == ir.Load && in.Index.Const > 0 {
			in.Index.Const--
			return true
		}
	}
	return false
}
