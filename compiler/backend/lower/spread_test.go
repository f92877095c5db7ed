package lower_test

import (
	"fmt"
	"testing"

	ad "ppl/autodiff"
	"ppl/compiler/backend/ir"
	"ppl/compiler/backend/lower"
	"ppl/runtime/device"
	"ppl/runtime/device/devicetest"
	"ppl/runtime/host"
)

// spreading is the host device with programs rewritten by Spread.
type spreading struct {
	host.Device
	grain lower.Grain
	turns *int // largest number of iterations of a Tiles
}

func (d spreading) Load(p *ir.Program, o device.Options) (device.Executable, error) {
	q := lower.Spread(p, d.grain)
	if err := ir.Verify(q); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, q)
	}
	for _, e := range q.Entries {
		for _, s := range e.Body {
			if s, ok := s.(*ir.Tiles); ok {
				*d.turns = max(*d.turns, s.Turns())
			}
		}
	}
	return d.Device.Load(q, o)
}

// TestSpreadRandom checks that random programs compute the same values, up to the order of sums, after they have been
// divided as finely as possible and into parts of a given size.
func TestSpreadRandom(t *testing.T) {
	for _, grain := range []lower.Grain{{Turns: 4096}, {Turn: 300, Least: 1000, Turns: 7}} {
		turns := 0
		for seed := range uint64(60) {
			p, before := devicetest.Random(seed), devicetest.Random(seed).String()
			devicetest.Agree(t, spreading{grain: grain, turns: &turns}, host.Device{}, p,
				device.Options{Lanes: 3, Seed: seed}, 1e-11)
			if p.String() != before {
				t.Fatalf("seed %d: the program itself has changed", seed)
			}
		}
		if turns < grain.Turns/2 {
			t.Errorf("at most %d turns of %d", turns, grain.Turns)
		}
	}
}

// TestSpreadDensities checks that the tiles of densities over thousands of rows are divided into many iterations, and
// that no intermediate value has as many elements as the data.
func TestSpreadDensities(t *testing.T) {
	for _, d := range tiledDensities() {
		t.Run(d.name, func(t *testing.T) {
			g := ad.New()
			theta := g.Input("theta", d.dim)
			lp := d.logp(g, theta)
			p := program(t, lower.Entry{Name: "density", Assign: []lower.Assign{{Name: "lp", Value: lp},
				{Name: "gradient", Value: ad.Grad(lp, theta)[0]}}})
			turns := 0
			device := spreading{grain: lower.Grain{Turn: 500, Least: 4000, Turns: 2048}, turns: &turns}
			devicetest.Agree(t, device, host.Device{}, p, options(2), 1e-11)
			if turns < 100 {
				t.Errorf("at most %d turns", turns)
			}
			bounded(t, lower.Spread(p, device.grain), 4096)
		})
	}
}

// TestSpreadShortRows checks that a kernel with few outer and many inner iterations is divided along the inner ones,
// and that rows of a dense array are merged.
func TestSpreadShortRows(t *testing.T) {
	kernel := func(extents []int, stride []int, size int, c ir.Combine) *ir.Program {
		var b ir.Body
		v := b.Do(ir.Exp, b.Load(0, ir.Dense(extents...)))
		return &ir.Program{Buffers: []ir.Buffer{{Name: "x", Space: ir.Lane, Size: 3 * 700},
			{Name: "y", Space: ir.Lane, Size: size}}, Entries: []ir.Entry{{Name: "run", Body: []ir.Stmt{
			&ir.Kernel{Extents: extents, Body: b, Out: []ir.Output{
				{Buf: 1, Index: ir.Index{Stride: stride}, Value: v, Combine: c}}}}}}}
	}
	for _, c := range []struct {
		p     *ir.Program
		turns int
	}{
		{kernel([]int{3, 1, 700}, []int{700, 700, 1}, 2100, ir.Store), 2100},
		{kernel([]int{3, 700}, []int{1, 3}, 2100, ir.Store), 700},
		{kernel([]int{3, 700}, []int{1, 0}, 3, ir.Sum), 700},
		{kernel([]int{3, 700}, []int{0, 0}, 1, ir.Max), 2100},
	} {
		turns := 0
		devicetest.Agree(t, spreading{grain: lower.Grain{Turns: 4096}, turns: &turns}, host.Device{}, c.p, options(2),
			1e-12)
		if turns != c.turns {
			t.Errorf("%d turns, want %d:\n%s", turns, c.turns, c.p)
		}
	}
}

func options(lanes int) device.Options { return device.Options{Lanes: lanes} }
