package host

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"ppl/compiler/backend/ir"
	"ppl/runtime/device"
)

// pairProgram returns a program with a pair of ops over the elements of x, y and z. If asked, an output stores the
// result of the inner op as well, which prevents fusion.
func pairProgram(p pair, points int, asked bool) *ir.Program {
	prog := &ir.Program{}
	buffer := func(name string, size int) ir.BufID {
		return prog.Buffer(ir.Buffer{Name: name, Space: ir.Lane, Size: size})
	}
	k := &ir.Kernel{Extents: []int{points}}
	b, dense := (*ir.Body)(&k.Body), ir.Dense(points)
	x, y, z := b.Load(buffer("x", points), dense), b.Load(buffer("y", points), dense),
		b.Load(buffer("z", points), dense)
	inner := b.Do(p.inner, x, y)
	out := ir.Output{Buf: buffer("out", points), Index: dense, Value: inner}
	if p.outer == total {
		out = ir.Output{Buf: buffer("sum", 1), Index: ir.Index{Stride: []int{0}}, Value: inner, Combine: ir.Sum}
	} else {
		args := map[side][]ir.Reg{left: {inner, z}, right: {z, inner}, twice: {inner, inner}}[p.as]
		out.Value = b.Do(p.outer, args[:p.outer.Arity()]...)
	}
	k.Out = []ir.Output{out}
	if asked {
		k.Out = append(k.Out, ir.Output{Buf: buffer("inner", points), Index: dense, Value: inner})
	}
	prog.Entries = []ir.Entry{{Name: "run", Body: []ir.Stmt{k}}}
	return prog
}

// runPair runs the program and returns its output and the number of its steps.
func runPair(t *testing.T, p *ir.Program, lanes int, in map[string][]float64) (out []float64, steps int) {
	x, err := Device{}.Load(p, device.Options{Lanes: lanes, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range in {
		x.Set(name, v)
	}
	if _, err := x.Run([]device.Call{{Entry: "run", Times: 1}}, 0, nil); err != nil {
		t.Fatal(err)
	}
	for _, b := range p.Buffers[3:4] {
		out = make([]float64, lanes*b.Size)
		x.Get(b.Name, out)
	}
	return out, len(x.(*executable).runners[0].frames[0].body)
}

// TestPairs checks that a fused pair takes one step and gives the same bits as its two ops separately. The inputs would
// show an inner result that is not rounded.
func TestPairs(t *testing.T) {
	for p := range fused {
		for _, lanes := range []int{1, 3, 8} {
			t.Run(fmt.Sprintf("%d,%d,%d lanes=%d", p.inner, p.outer, p.as, lanes), func(t *testing.T) {
				const points = 40
				in := map[string][]float64{"x": awkward(1, lanes*points), "y": awkward(2, lanes*points),
					"z": awkward(3, lanes*points)}
				pair, steps := runPair(t, pairProgram(p, points, false), lanes, in)
				apart, more := runPair(t, pairProgram(p, points, true), lanes, in)
				if steps != 1 || more != 2 {
					t.Fatalf("%d steps as a pair, %d apart", steps, more)
				}
				for i, want := range apart {
					if math.Float64bits(pair[i]) != math.Float64bits(want) && !(pair[i] != pair[i] && want != want) {
						t.Errorf("%d: %v as a pair, %v apart", i, pair[i], want)
					}
				}
			})
		}
	}
	x, y, z := awkward(1, 320), awkward(2, 320), awkward(3, 320) // of eight lanes
	shows := 0
	for i := range x {
		if math.Abs(math.FMA(x[i], y[i], z[i])-(float64(x[i]*y[i])+z[i])) > 0 {
			shows++
		}
	}
	if shows < 50 {
		t.Errorf("contraction would show in %d numbers only", shows)
	}
}

// awkward returns n numbers of order 1, with some zeros, infinities and NaN.
func awkward(seed uint64, n int) []float64 {
	r := rand.New(rand.NewPCG(seed, 0))
	special := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN()}
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
		if r.IntN(12) == 0 {
			x[i] = special[r.IntN(len(special))]
		}
	}
	return x
}
