package devicetest

import (
	"slices"
	"testing"

	"ppl/compiler/backend/ir"
	"ppl/runtime/device"
)

// TestReference checks that the reference gives the results computed by hand, and passes the tests that a slow device
// can.
func TestReference(t *testing.T) {
	for _, c := range handmade() {
		t.Run(c.name, func(t *testing.T) { c.run(t, Reference{}, 3) })
	}
	testSchedule(t, Reference{})
	testMasks(t, Reference{})
	testBuffers(t, Reference{})
	testGiven(t, Reference{})
}

// A forgetful executable ignores values of one buffer after its first run.
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

// TestGivenFaultsAreSeen checks that a device is found to be faulty if it keeps the first values of a buffer, or gives
// each lane a copy of a shared one.
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

// TestRandomIsValid verifies more random programs than devices are tested with.
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

// TestFaultsAreSeen checks that a device is found to be faulty if it takes one op for another, omits a combination, or
// loads a neighbour, in either precision.
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
