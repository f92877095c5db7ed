//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package gpu_test

import (
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ppl/compiler"
	"ppl/compiler/backend/ir"
	"ppl/compiler/backend/lower"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/runtime/device"
	"ppl/runtime/device/devicetest"
	"ppl/runtime/gpu"
	"ppl/runtime/gpu/cudasim"
	"ppl/runtime/gpu/gputest"
	"ppl/runtime/host"
)

// finest cuts statements as finely as possible.
func finest() gpu.Option { return gpu.InGrain(lower.Grain{Turns: 100, Shared: 2}) }

// byPoints returns options for a GPU on which all entries run by points.
func byPoints(width int) []gpu.Option {
	return []gpu.Option{gpu.ByPoints(true), gpu.InBlocksOf(width), finest(), gpu.Poisoned()}
}

// TestPointsConformance is TestConformance by points. Warps run in random order, and scratch memory is filled with NaN.
func TestPointsConformance(t *testing.T) {
	devicetest.Run(t, func() device.Device {
		d, _ := open(t, byPoints(4)...)
		return d
	})
}

func TestPointsExamples(t *testing.T) {
	gputest.Examples(t, "../../examples", func() device.Device {
		d, _ := open(t, byPoints(4)...)
		return d
	})
}

func TestPointsTrajectories(t *testing.T) {
	gputest.Trajectories(t, "../../examples", func() device.Device {
		d, _ := open(t, byPoints(4)...)
		return d
	})
}

// numbers runs all entries of a program twice and returns the lane buffers of one lane.
func numbers(t *testing.T, d device.Device, p *ir.Program, lanes, lane int) (all []float64) {
	t.Helper()
	x, err := d.Load(p, device.Options{Lanes: lanes, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for _, name := range x.Buffers() {
		for l := range lanes {
			values := make([]float64, x.Size(name))
			for i := range values {
				values[i] = math.Sin(float64(i+1) * float64(l+2))
			}
			x.SetLane(name, l, values)
		}
	}
	var calls []device.Call
	for _, e := range p.Entries {
		calls = append(calls, device.Call{Entry: e.Name, Times: 2})
	}
	if _, err := x.Run(calls, 9, nil); err != nil {
		t.Fatal(err)
	}
	for _, name := range x.Buffers() {
		values := make([]float64, x.Size(name))
		x.GetLane(name, lane, values)
		all = append(all, values...)
	}
	return all
}

// same reports whether lists have the same bytes.
func same(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

// steps returns a sampler of an example.
func steps(t *testing.T, example string) *ir.Program {
	t.Helper()
	target, ds := compiler.Load(compiler.Request{Path: filepath.Join("../../examples", example+".ppl")})
	if target == nil {
		t.Fatal(ds)
	}
	p, err := lower.Program(dynamics.Program(dynamics.HMC{},
		dynamics.System{Target: target, Metric: adapt.Diagonal(target.Dim())}))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestSameBytes checks that a lane has the same bytes by points and by lanes, in blocks of any width, on a GPU of any
// size, and whatever the number of lanes, if kernels compute all products.
func TestSameBytes(t *testing.T) {
	network, _ := gputest.Network(t, 32)
	programs := map[string]*ir.Program{"rows": manyRows(), "steps": steps(t, "seeds"), "network": network}
	for _, seed := range []string{"1", "2"} {
		programs["random "+seed] = devicetest.Random(uint64(seed[0]))
	}
	for name, p := range programs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			open := func(options ...gpu.Option) (*gpu.Device, *cudasim.Driver) {
				d, sim := open(t, options...)
				sim.NoLibrary = errors.New("cuda: it adds up in another order")
				return d, sim
			}
			first, _ := open(finest())
			want := numbers(t, first, p, 1, 0)
			for _, c := range []struct{ width, multiprocessors, lanes int }{{4, 1, 1}, {4, 100, 9}, {16, 3, 40}} {
				d, sim := open(byPoints(c.width)...)
				sim.About.Multiprocessors = c.multiprocessors
				if got := numbers(t, d, p, c.lanes, 0); !same(got, want) {
					t.Errorf("by points, %+v: %v, by lanes %v", c, got, want)
				}
			}
			lanes, _ := open(finest(), gpu.ByPoints(false))
			points, _ := open(byPoints(4)...)
			if a, b := numbers(t, lanes, p, 40, 37), numbers(t, points, p, 40, 37); !same(a, b) {
				t.Errorf("lane 37: %v by points, %v by lanes", b, a)
			}
		})
	}
}

// manyRows returns a program with a Tiles of hundreds of iterations, whose results are combined in two levels, a
// product with elements for several threads, and values that pass from one launch to the next.
func manyRows() *ir.Program {
	const n = 6007
	p := &ir.Program{}
	x := p.Buffer(ir.Buffer{Name: "x", Space: ir.Lane, Size: n})
	sums := p.Buffer(ir.Buffer{Name: "sums", Space: ir.Lane, Size: 3})
	high := p.Buffer(ir.Buffer{Name: "high", Space: ir.Lane, Size: 1})
	a := p.Buffer(ir.Buffer{Name: "a", Space: ir.Lane, Size: 23 * 129})
	square := p.Buffer(ir.Buffer{Space: ir.Scratch, Size: 23 * 23})
	root := p.Buffer(ir.Buffer{Space: ir.Scratch, Size: n})
	var first, second, last ir.Body
	v := first.Do(ir.Exp, first.Load(x, ir.Dense(n)))
	part := first.Do(ir.Mod, first.Counter(0), first.Const(3))
	shared := second.Do(ir.Div, second.Load(root, ir.Dense(n)), second.Load(sums, ir.Index{Const: 2}))
	noisy := second.Do(ir.Add, second.Do(ir.Tanh, shared), second.Noise(ir.Normal, 4))
	end := last.Do(ir.Tanh, last.Load(square, ir.Dense(23, 23)))
	p.Entries = []ir.Entry{{Name: "run", Body: []ir.Stmt{
		&ir.Kernel{Extents: []int{n}, Body: first, Out: []ir.Output{
			{Buf: root, Index: ir.Dense(n), Value: v}, {Buf: high, Value: v, Combine: ir.Max},
			{Buf: sums, Index: ir.Index{Dyn: []ir.Dyn{{Reg: part, Stride: 1, Limit: 3}}}, Value: v, Combine: ir.Sum}}},
		&ir.Kernel{Extents: []int{n}, Body: second, Out: []ir.Output{{Buf: x, Index: ir.Dense(n), Value: noisy}}},
		&ir.MatMul{A: a, B: a, C: square, Batch: 1, M: 23, K: 129, N: 23, TransB: true},
		&ir.Kernel{Extents: []int{23, 23}, Body: last,
			Out: []ir.Output{{Buf: a, Index: ir.Index{Stride: []int{129, 1}}, Value: end}}}}}}
	return p
}

// faulty is a GPU whose compiler replaces a part of the code.
type faulty struct {
	*cudasim.Driver
	old, new string
}

func (d faulty) Compile(text string) ([]byte, error) {
	if !strings.Contains(text, d.old) {
		panic("nothing to replace")
	}
	return d.Driver.Compile(strings.Replace(text, d.old, d.new, 1))
}

// TestPointsFaults checks that manyRows agrees with host, and that it differs if items are left out, if tiles are
// combined in another way than by lanes, or if blocks of lanes share scratch memory.
func TestPointsFaults(t *testing.T) {
	p := manyRows()
	want := numbers(t, host.Device{}, p, 9, 7)
	for name, fault := range map[string][2]string{
		"none":                        {"STAGE(", "STAGE("},
		"items left out":              {"i += warps", "i += warps + 1"},
		"combined while turns run":    {"sum = sum + wide", "sum = wide"},
		"blocks share scratch memory": {"c->block * 6007)", "0 * 6007)"},
	} {
		_, sim := open(t)
		sim.About.Compiler = name // nothing wrong in the cache
		d := gpu.New(faulty{sim, fault[0], fault[1]}, byPoints(4)...)
		got, worst := numbers(t, d, p, 9, 7), 0.0
		for i, w := range want {
			if gap := math.Abs(got[i]-w) / math.Max(1, math.Abs(w)); !(gap <= worst) {
				worst = gap
			}
		}
		if agrees := worst <= 1e-11; agrees != (name == "none") {
			t.Errorf("%s: the largest difference is %v", name, worst)
		}
	}
}

// TestShortByPoints checks that entries run by lanes, with the same bytes, if the memory for values between launches
// does not suffice.
func TestShortByPoints(t *testing.T) {
	const lanes = 1200
	p := &ir.Program{Buffers: []ir.Buffer{{Name: "x", Space: ir.Lane, Size: 1}, {Name: "y", Space: ir.Lane, Size: 1}}}
	var b ir.Body
	v := b.Do(ir.Sin, b.Do(ir.Mul, b.Counter(0), b.Load(0, ir.Index{})))
	p.Entries = []ir.Entry{{Name: "sum", Body: []ir.Stmt{&ir.Kernel{Extents: []int{2000}, Body: b,
		Out: []ir.Output{{Buf: 1, Value: v, Combine: ir.Sum}}}}}}
	var got [2][]float64
	for i, bytes := range []int{1 << 30, 200_000} {
		d, sim := open(t, gpu.ByPoints(true))
		sim.Bytes = bytes
		x, err := d.Load(p, device.Options{Lanes: lanes})
		if err != nil {
			t.Fatal(err)
		}
		says := x.(interface{ Statement() string }).Statement()
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		if points := strings.HasSuffix(says, "by points"); points != (i == 0) {
			t.Errorf("in %d bytes: %s", bytes, says)
		}
		got[i] = numbers(t, d, p, lanes, lanes-1)
	}
	if !same(got[0], got[1]) {
		t.Errorf("%v by points, %v by lanes", got[0], got[1])
	}
}

// TestChosen checks that an entry runs by points if the estimate is faster, for much data on few lanes, and that the
// first line of the printed program reports the choice.
func TestChosen(t *testing.T) {
	for _, c := range []struct {
		p     *ir.Program
		lanes int
		want  string
	}{
		{manyRows(), 28, "run 6 launches by points"},
		{manyRows(), 100_000, "by lanes"},
		{doubling(), 28, "by lanes"},
	} {
		text, _, _ := strings.Cut(gpu.Text(c.p, c.lanes), "\n")
		if !strings.HasSuffix(text, ": "+c.want+".") {
			t.Errorf("%d lanes: %s, want %s", c.lanes, text, c.want)
		}
	}
}
