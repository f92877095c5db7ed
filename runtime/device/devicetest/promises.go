package devicetest

import (
	"math"
	"slices"
	"testing"

	"ppl/compiler/backend/ir"
	"ppl/numbers"
	"ppl/runtime/device"
	"ppl/runtime/noise"
)

// noiseProgram stores noise of three sites to buffers of n points.
func noiseProgram(n int) *ir.Program {
	p := &ir.Program{}
	z := p.Buffer(ir.Buffer{Name: "z", Space: ir.Lane, Size: n})
	u := p.Buffer(ir.Buffer{Name: "u", Space: ir.Lane, Size: n})
	var body ir.Body
	c := p.Buffer(ir.Buffer{Name: "c", Space: ir.Lane, Size: n})
	normal, uniform, common := body.Noise(ir.Normal, 3), body.Noise(ir.Uniform, 70000), body.Noise(ir.Common, 5)
	p.Entries = []ir.Entry{{Name: "draw", Body: []ir.Stmt{&ir.Kernel{Extents: []int{n}, Body: body,
		Out: []ir.Output{{Buf: z, Index: ir.Dense(n), Value: normal}, {Buf: u, Index: ir.Dense(n), Value: uniform},
			{Buf: c, Index: ir.Dense(n), Value: common}}}}}}
	return p
}

// testNoise checks every number against its address, for several numbers of lanes.
func testNoise(t *testing.T, d device.Device) {
	const n, seed, step = 1301, 0xfeedface12345678, 1<<33 + 7
	for _, lanes := range []int{1, 3, 11} {
		p, first := noiseProgram(n), 8*(lanes/3)
		x := load(t, d, p, device.Options{Lanes: lanes, Seed: seed, Threads: 2, First: first})
		run(t, x, []device.Call{{Entry: "draw", Times: 2}}, step, nil)
		z, u, c := make([]float64, n), make([]float64, n), make([]float64, n)
		for l := range lanes {
			x.GetLane("z", l, z)
			x.GetLane("u", l, u)
			x.GetLane("c", l, c)
			for i := range n {
				wantZ := noise.Normal(seed, uint32(first+l), step+1, 3, uint32(i))
				wantU := noise.Uniform(seed, uint32(first+l), step+1, 70000, uint32(i))
				if !near(z[i], wantZ, 4*ulp(wantZ)) || u[i] != wantU ||
					c[i] != noise.Common(seed, step+1, 5) {
					t.Fatalf("lane %d point %d: got %v, %v and %v, want %v and %v, and one number for all", l, i, z[i],
						u[i], c[i], wantZ, wantU)
				}
			}
		}
	}
}

func ulp(x float64) float64 { return math.Nextafter(math.Abs(x), math.Inf(1)) - math.Abs(x) }

// testSingleNoise checks noise of single precision against its address, for several numbers of points.
func testSingleNoise(t *testing.T, d device.Device) {
	for _, n := range []int{1, 5, 64, 700} {
		p := &ir.Program{}
		z := p.Buffer(ir.Buffer{Name: "z", Space: ir.Lane, Type: ir.F32, Size: n})
		body := ir.Body{{Op: ir.Normal, Type: ir.F32, Site: 9, Index: ir.Index{Const: 37}}}
		p.Entries = []ir.Entry{{Name: "draw", Body: []ir.Stmt{&ir.Kernel{Extents: []int{n}, Body: body,
			Out: []ir.Output{{Buf: z, Index: ir.Dense(n)}}}}}}
		const seed, step = 0xfeedface12345678, 1<<33 + 7
		x := load(t, d, p, device.Options{Lanes: 3, Seed: seed})
		run(t, x, []device.Call{{Entry: "draw", Times: 1}}, step, nil)
		got := make([]float64, n)
		for l := range 3 {
			x.GetLane("z", l, got)
			for i, v := range got {
				if want := noise.Single(seed, uint32(l), step, 9, uint32(37+i)); !near(v, want, 4e-6) {
					t.Fatalf("lane %d point %d of %d: got %v, want %v", l, i, n, v, want)
				}
			}
		}
	}
}

// counterProgram has an entry that adds 1 to x and one that doubles it.
func counterProgram() *ir.Program {
	p := &ir.Program{}
	x := p.Buffer(ir.Buffer{Name: "x", Space: ir.Lane, Size: 1})
	p.Buffer(ir.Buffer{Name: "untouched", Space: ir.Lane, Size: 2})
	entry := func(name string, op ir.Op, by float64) ir.Entry {
		var body ir.Body
		r := body.Do(op, body.Load(x, ir.Index{}), body.Const(by))
		return ir.Entry{Name: name, Body: []ir.Stmt{&ir.Kernel{Body: body, Out: []ir.Output{{Buf: x, Value: r}}}}}
	}
	p.Entries = []ir.Entry{entry("increment", ir.Add, 1), entry("double", ir.Mul, 2)}
	return p
}

func testSchedule(t *testing.T, d device.Device) {
	x := load(t, d, counterProgram(), device.Options{Lanes: 10, Threads: 2})
	next := run(t, x, []device.Call{{Entry: "increment", Times: 3}, {Entry: "double", Times: 2},
		{Entry: "increment", Times: 0}, {Entry: "increment", Times: 1}}, 40, nil)
	if next != 46 {
		t.Errorf("next step %d after 6 executions from 40, want 46", next)
	}
	got := make([]float64, 10)
	x.Get("x", got)
	for l, v := range got {
		if v != 13 { // (0+3)·4+1
			t.Errorf("lane %d: %v, want 13", l, v)
		}
	}
}

// testMasks checks that a masked lane keeps its values, and that the other lanes of its block change.
func testMasks(t *testing.T, d device.Device) {
	for _, lanes := range []int{1, 4, 19} {
		x := load(t, d, counterProgram(), device.Options{Lanes: lanes, Threads: 2})
		mask := make([]bool, lanes)
		for l := range mask {
			x.SetLane("x", l, []float64{float64(l)})
			mask[l] = l%3 == 0 && l < 16
		}
		run(t, x, []device.Call{{Entry: "increment", Times: 1}, {Entry: "double", Times: 1}}, 0, mask)
		got := make([]float64, 1)
		for l := range mask {
			want := float64(l)
			if mask[l] {
				want = 2 * (want + 1)
			}
			x.GetLane("x", l, got)
			if got[0] != want {
				t.Errorf("%d lanes: lane %d is %v, want %v", lanes, l, got[0], want)
			}
		}
	}
}

// testBuffers checks that Get returns the values that were set, by lane and for entire buffers, and that nothing else
// changes.
func testBuffers(t *testing.T, d device.Device) {
	const n, lanes = 3, 13
	x := load(t, d, noiseProgram(n), device.Options{Lanes: lanes})
	if x.Size("z") != n {
		t.Errorf("size %d, want %d", x.Size("z"), n)
	}
	all := make([]float64, n*lanes)
	x.Get("z", all)
	if !slices.Equal(all, make([]float64, n*lanes)) {
		t.Errorf("not zero at first: %v", all)
	}
	for i := range all {
		all[i] = float64(i)
	}
	x.Set("z", all)
	x.SetLane("z", 9, []float64{-1, -2, -3})
	copy(all[27:], []float64{-1, -2, -3})
	got, one := make([]float64, n*lanes), make([]float64, n)
	x.Get("z", got)
	if !slices.Equal(got, all) {
		t.Errorf("got %v, want %v", got, all)
	}
	x.GetLane("z", 12, one)
	if !slices.Equal(one, all[36:]) {
		t.Errorf("lane 12 is %v, want %v", one, all[36:])
	}
	x.Get("u", got)
	if !slices.Equal(got, make([]float64, n*lanes)) {
		t.Errorf("another buffer changed: %v", got)
	}
	testSingleBuffer(t, d)
}

// testSingleBuffer checks that numbers of single precision are rounded however they are set.
func testSingleBuffer(t *testing.T, d device.Device) {
	const n, lanes = 2, 13
	p := counterProgram()
	p.Buffer(ir.Buffer{Name: "single", Space: ir.Lane, Type: ir.F32, Size: n})
	x := load(t, d, p, device.Options{Lanes: lanes})
	all, want, got := make([]float64, n*lanes), make([]float64, n*lanes), make([]float64, n*lanes)
	for i := range all {
		all[i] = 0.1 * float64(i)
		want[i] = float64(float32(all[i]))
	}
	x.Set("single", all)
	x.SetLane("single", 5, all[:n])
	copy(want[5*n:], want[:n])
	x.Get("single", got)
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func testErrors(t *testing.T, d device.Device) {
	if _, err := d.Load(counterProgram(), device.Options{}); err == nil {
		t.Error("no lanes, no error")
	}
	x := load(t, d, counterProgram(), device.Options{Lanes: 2})
	if _, err := x.Run([]device.Call{{Entry: "nowhere", Times: 1}}, 0, nil); err == nil {
		t.Error("no entry of that name, no error")
	}
	if _, err := x.Run([]device.Call{{Entry: "double", Times: 1}}, 0, []bool{true}); err == nil {
		t.Error("a mask of the wrong length, no error")
	}
	if _, err := x.Run([]device.Call{{Entry: "double", Times: 2}}, noise.Steps-1, nil); err == nil {
		t.Error("beyond the last noise step, no error")
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic on an unknown name")
		}
	}()
	x.Size("nowhere")
}

// testInvariance checks that results are identical for any number of threads, and that a lane's results do not depend
// on the number of lanes.
func testInvariance(t *testing.T, d device.Device) {
	Invariant(t, d, bigProducts())
	Invariant(t, d, manyRows())
	for seed := range uint64(12) {
		Invariant(t, d, Random(seed))
	}
}

// Invariant checks that a program gives each lane identical results for any number of threads and of other lanes.
func Invariant(t *testing.T, d device.Device, p *ir.Program) {
	want := bytesOf(t, d, p, 11, 1)
	for _, o := range [][2]int{{11, 2}, {11, 3}, {11, 7}, {3, 1}, {1, 3}} {
		got := bytesOf(t, d, p, o[0], o[1])
		for l := range o[0] {
			if !slices.Equal(got[l], want[l]) {
				t.Fatalf("lane %d of %d, %d threads: other bytes than with 11 lanes and 1 thread\n%s", l, o[0], o[1], p)
			}
		}
	}
}

// bigProducts has products that a device may divide into pieces, by rows and by the depth of the sum.
func bigProducts() *ir.Program {
	p := &ir.Program{}
	design := p.Buffer(ir.Buffer{Name: "design", Space: ir.Shared, Size: 9000 * 20,
		Init: numbers.Of(wave(9000 * 20)...)})
	beta := p.Buffer(ir.Buffer{Name: "beta", Space: ir.Lane, Size: 20})
	eta := p.Buffer(ir.Buffer{Name: "eta", Space: ir.Lane, Size: 9000})
	back := p.Buffer(ir.Buffer{Name: "back", Space: ir.Lane, Size: 20})
	p.Entries = []ir.Entry{{Name: "run", Body: []ir.Stmt{
		&ir.MatMul{A: design, B: beta, C: eta, Batch: 1, M: 9000, K: 20, N: 1},
		&ir.MatMul{A: design, B: eta, C: back, Batch: 1, M: 20, K: 9000, N: 1, TransA: true}}}}
	return p
}

// manyRows returns a regression with its gradient over tiles, the last of which has fewer rows.
func manyRows() *ir.Program {
	const rows, size, cols = 5003, 512, 7
	p := &ir.Program{}
	design := p.Buffer(ir.Buffer{Name: "design", Space: ir.Shared, Size: rows * cols,
		Init: numbers.Of(wave(rows * cols)...)})
	beta := p.Buffer(ir.Buffer{Name: "beta", Space: ir.Lane, Size: cols})
	back := p.Buffer(ir.Buffer{Name: "back", Space: ir.Lane, Size: cols})
	fit := p.Buffer(ir.Buffer{Name: "fit", Space: ir.Lane, Size: rows})
	eta := p.Buffer(ir.Buffer{Space: ir.Tile, Size: size})
	pull := p.Buffer(ir.Buffer{Space: ir.Tile, Size: size})
	left := p.Buffer(ir.Buffer{Space: ir.Tile, Size: cols})
	var b ir.Body
	v := b.Do(ir.Add, b.Do(ir.Tanh, b.Load(eta, ir.Dense(size))), b.Noise(ir.Uniform, 2))
	b[2].Index.Step = size
	moved := ir.Index{Step: size, Stride: []int{1}}
	here := ir.Part{Step: size * cols}
	p.Entries = []ir.Entry{{Name: "run", Body: []ir.Stmt{&ir.Tiles{Rows: rows, Size: size, Body: []ir.Stmt{
		&ir.MatMul{A: design, B: beta, C: eta, Batch: 1, M: size, K: cols, N: 1, PartA: here, Rows: ir.DimM},
		&ir.Kernel{Extents: []int{size}, Body: b, Out: []ir.Output{{Buf: pull, Index: ir.Dense(size), Value: v},
			{Buf: fit, Index: moved, Value: v}}},
		&ir.MatMul{A: design, B: pull, C: left, Batch: 1, M: cols, K: size, N: 1, TransA: true, PartA: here,
			Rows: ir.DimK},
	}, Out: []ir.TileOut{{From: left, To: back, Combine: ir.Sum}}}}}}
	return p
}

// bytesOf returns the state of each lane after a run, as bits.
func bytesOf(t *testing.T, d device.Device, p *ir.Program, lanes, threads int) [][]uint64 {
	x := load(t, d, p, device.Options{Lanes: lanes, Threads: threads, Seed: 9})
	start(x, p, lanes)
	run(t, x, once(p), 0, nil)
	state := make([][]uint64, lanes)
	for l := range state {
		for _, b := range p.Buffers {
			if b.Space == ir.Lane {
				values := make([]float64, b.Size)
				x.GetLane(b.Name, l, values)
				for _, v := range values {
					state[l] = append(state[l], math.Float64bits(v))
				}
			}
		}
	}
	return state
}

// shuffleProgram shuffles rows at positions that count from a start, with a key that depends on the lane, and with one
// key for all lanes.
func shuffleProgram(n, rows int) *ir.Program {
	p := &ir.Program{}
	key := p.Buffer(ir.Buffer{Name: "key", Space: ir.Lane, Size: 1})
	start := p.Buffer(ir.Buffer{Name: "start", Space: ir.Lane, Size: 1})
	own := p.Buffer(ir.Buffer{Name: "own", Space: ir.Lane, Size: n})
	same := p.Buffer(ir.Buffer{Name: "same", Space: ir.Lane, Size: n})
	var body ir.Body
	at := body.Do(ir.Add, body.Load(start, ir.Index{}), body.Counter(0))
	mine := body.Shuffled(rows, body.Load(key, ir.Index{}), at)
	shared := body.Shuffled(rows, body.Const(5), body.Counter(0))
	p.Entries = []ir.Entry{{Name: "draw", Body: []ir.Stmt{&ir.Kernel{Extents: []int{n}, Body: body,
		Out: []ir.Output{{Buf: own, Index: ir.Dense(n), Value: mine},
			{Buf: same, Index: ir.Dense(n), Value: shared}}}}}}
	return p
}

// testShuffle compares every row with package noise, exactly, across ends of epochs and for keys and positions at and
// beyond their limits.
func testShuffle(t *testing.T, d device.Device) {
	const n, seed, lanes = 1301, 0xfeedface12345678, 11
	starts := []float64{0, 1, 700, 1e6, 1e12 + 3, 1<<53 - 1000, 1e300, -4, math.NaN(), 0.5, math.Inf(1)}
	keys := []float64{0, 1, 2, 1<<32 - 1, 1 << 40, -1, math.NaN(), 3.7, 4, 5, 6}
	for _, rows := range []int{1, 2, 3, 100, 128, 1 << 20, 1 << 32} {
		x := load(t, d, shuffleProgram(n, rows), device.Options{Lanes: lanes, Seed: seed, Threads: 2})
		x.Set("key", keys)
		x.Set("start", starts)
		run(t, x, []device.Call{{Entry: "draw", Times: 1}}, 3, nil)
		own, same := make([]float64, n), make([]float64, n)
		for l := range lanes {
			x.GetLane("own", l, own)
			x.GetLane("same", l, same)
			for i := range n {
				wantOwn := noise.Shuffle(seed, rows, keys[l], starts[l]+float64(i))
				wantSame := noise.Shuffle(seed, rows, 5, float64(i))
				if own[i] != wantOwn || same[i] != wantSame {
					t.Fatalf("%d rows, lane %d, place %d: got %v and %v, want %v and %v", rows, l, i, own[i], same[i],
						wantOwn, wantSame)
				}
			}
		}
	}
}
