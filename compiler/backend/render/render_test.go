package render

import (
	"flag"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ppl/compiler/backend/ir"
	"ppl/numbers"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// sample returns a program with every statement and instruction that has a separate form in C.
func sample() *ir.Program {
	p := &ir.Program{Buffers: []ir.Buffer{
		{Name: `data"); system("x`, Space: ir.Shared, Size: 6, Init: numbers.Of(1, 2, 3, 4, 5, 6)},
		{Name: "derived", Space: ir.Shared, Type: ir.F32, Size: 6},
		{Name: "x */", Space: ir.Lane, Size: 6},
		{Name: "total", Space: ir.Lane, Size: 1},
		{Name: "rows", Space: ir.Scratch, Size: 3},
		{Name: "gram", Space: ir.Scratch, Size: 9},
		{Name: "factor", Space: ir.Scratch, Size: 9},
		{Name: "path", Space: ir.Scratch, Size: 10},
	}}
	p.Setup = []ir.Stmt{square()}
	p.Entries = []ir.Entry{{Name: "step\n}", Body: []ir.Stmt{updated(), tiled(), scattered(),
		&ir.MatMul{A: 2, B: 2, C: 5, Batch: 1, M: 3, K: 2, N: 3, TransB: true},
		&ir.Cholesky{In: 5, Out: 6, Batch: 1, N: 3}, recurrence()}}}
	return p
}

func square() *ir.Kernel {
	var b ir.Body
	v := b.Load(0, ir.Dense(6))
	r := b.Do(ir.Mul, v, v)
	return &ir.Kernel{Extents: []int{6}, Body: b, Out: []ir.Output{{Buf: 1, Index: ir.Dense(6), Value: r}}}
}

// updated returns a kernel that updates a lane buffer by noise if a condition on the loop counter holds. A logarithm is
// independent of the loop, and one instruction has no use.
func updated() *ir.Kernel {
	var b ir.Body
	x := b.Load(2, ir.Dense(3, 2))
	scale := b.Do(ir.Log, b.Load(3, ir.Index{}))
	b.Do(ir.Exp, x) // no instruction uses it
	z := b.Do(ir.Mul, scale, b.Do(ir.Add, b.Noise(ir.Normal, 5), b.Shuffled(9, b.Counter(0), x)))
	r := b.Do(ir.Select, b.Do(ir.Lt, b.Counter(0), b.Const(0.1)), b.Do(ir.Add, x, z), x)
	return &ir.Kernel{Extents: []int{3, 2}, Body: b, Out: []ir.Output{{Buf: 2, Index: ir.Dense(3, 2), Value: r}}}
}

// tiled returns a kernel that sums more points than fit in a tile.
func tiled() *ir.Kernel {
	var b ir.Body
	at := ir.Index{Dyn: []ir.Dyn{{Reg: b.Counter(1), Stride: 1, Limit: 6}}}
	r := b.Do(ir.Mul, b.Load(1, at), b.Load(2, at))
	return &ir.Kernel{Extents: []int{1, 9000}, Body: b, Out: []ir.Output{{Buf: 3, Value: r, Combine: ir.Sum}}}
}

// scattered returns a kernel that takes the maximum by rows that differ between lanes.
func scattered() *ir.Kernel {
	var b ir.Body
	x := b.Load(2, ir.Dense(6))
	return &ir.Kernel{Extents: []int{6}, Body: b, Out: []ir.Output{
		{Buf: 4, Index: ir.Index{Dyn: []ir.Dyn{{Reg: x, Stride: 1, Limit: 3}}}, Value: x, Combine: ir.Max}}}
}

// recurrence returns a reverse loop in which each element is half of the one after it.
func recurrence() *ir.Loop {
	var start, b ir.Body
	one := start.Const(1)
	half := b.Do(ir.Mul, b.Const(0.5), b.Load(7, ir.Index{Const: 1, Step: 1}))
	return &ir.Loop{N: 9, Reverse: true, Body: []ir.Stmt{
		&ir.Kernel{Body: start, Out: []ir.Output{{Buf: 7, Index: ir.Index{Const: 9}, Value: one}}},
		&ir.Kernel{Body: b, Out: []ir.Output{{Buf: 7, Index: ir.Index{Step: 1}, Value: half}}}}}
}

// TestGolden compares the texts after their preludes with files in testdata.
func TestGolden(t *testing.T) {
	p := sample()
	if err := ir.Verify(p); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string][2]string{"testdata/sample.golden": {C(p), c().prelude + c().single},
		"testdata/cuda.golden":   {CUDA(p, Launching{Width: Warp, Points: []bool{false}}), cuda(Warp).prelude},
		"testdata/points.golden": {CUDA(inTiles(p), Launching{Width: 8, Points: []bool{true}}), cuda(8).prelude}} {
		got, ok := strings.CutPrefix(text[0], text[1])
		if !ok {
			t.Fatal("the text does not begin with the prelude")
		}
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("the text differs from %s (go test -update writes it):\n%s", path, got)
		}
	}
}

// inTiles returns the sample with a Tiles whose iterations are combined in two levels, and a product whose elements are
// divided among threads.
func inTiles(p *ir.Program) *ir.Program {
	var b ir.Body
	r := b.Do(ir.Mul, b.Load(2, ir.Index{}), b.Counter(0))
	b[1].Index.Step = 3
	left := p.Buffer(ir.Buffer{Name: "left", Space: ir.Tile, Size: 1})
	square, large := p.Buffer(ir.Buffer{Name: "square", Space: ir.Lane, Size: 441}),
		p.Buffer(ir.Buffer{Name: "large", Space: ir.Scratch, Size: 441})
	p.Entries[0].Body = append(p.Entries[0].Body, &ir.Tiles{Rows: 200, Size: 3, Body: []ir.Stmt{
		&ir.Kernel{Extents: []int{3}, Body: b, Out: []ir.Output{{Buf: left, Value: r, Combine: ir.Sum}}}},
		Out: []ir.TileOut{{From: left, To: 3, Combine: ir.Sum}}},
		&ir.MatMul{A: square, B: square, C: large, Batch: 1, M: 21, K: 21, N: 21})
	return p
}

// TestNamesStayOut checks that the text does not depend on names that the model chooses.
func TestNamesStayOut(t *testing.T) {
	p := sample()
	text := C(p)
	for i := range p.Buffers {
		p.Buffers[i].Name = strconv.Itoa(i)
	}
	p.Entries[0].Name = "e"
	if C(p) != text || strings.Contains(text, "system") {
		t.Error("names reach the text")
	}
}

// TestNumbers checks that the text of a constant has exactly its value.
func TestNumbers(t *testing.T) {
	for _, v := range []float64{0, 1, -1, 0.1, math.Pi, 5e-324, -1e300, math.MaxFloat64, 1.0 / 3} {
		if got, err := strconv.ParseFloat(number(v, false), 64); err != nil || got != v {
			t.Errorf("%v is written %s", v, number(v, false))
		}
	}
	for v, want := range map[float64]string{math.Inf(1): "INF", math.Inf(-1): "-INF"} {
		if number(v, false) != want {
			t.Errorf("%v is written %s", v, number(v, false))
		}
	}
	if number(math.NaN(), false) != "NAN" {
		t.Errorf("NaN is written %s", number(math.NaN(), false))
	}
}

// TestSingleNumbers checks that a finite nonzero constant of single precision is written neither as zero nor as
// infinity.
func TestSingleNumbers(t *testing.T) {
	for v, want := range map[float64]float64{0.1: 0.1, 1e-300: 0x1p-126, -1e-300: -0x1p-126,
		math.MaxFloat64: math.MaxFloat32, -1e39: -math.MaxFloat32, 0: 0} {
		if got, err := strconv.ParseFloat(number(v, true), 64); err != nil || got != want {
			t.Errorf("%v is written %s", v, number(v, true))
		}
	}
	if number(math.Inf(-1), true) != "-INF" {
		t.Error("-Inf is a number")
	}
}

// TestGroups checks that consecutive small statements share a function, that scratch buffers used only there are local
// variables, and that a sum over many points has a separate function.
func TestGroups(t *testing.T) {
	p := &ir.Program{Buffers: []ir.Buffer{{Name: "x", Space: ir.Lane, Size: 3}, {Space: ir.Scratch, Size: 3},
		{Space: ir.Scratch, Size: 1}}}
	kernel := func(n int, from, to ir.BufID, noise bool) *ir.Kernel {
		var b ir.Body
		r := b.Load(from, ir.Dense(n))
		if noise {
			r = b.Do(ir.Add, r, b.Noise(ir.Normal, 1))
		}
		return &ir.Kernel{Extents: []int{n}, Body: b, Out: []ir.Output{{Buf: to, Index: ir.Dense(n), Value: r}}}
	}
	var big ir.Body
	total := &ir.Kernel{Extents: []int{5000}, Out: []ir.Output{{Buf: 2, Value: big.Const(1), Combine: ir.Sum}}}
	total.Body = big
	body := []ir.Stmt{kernel(3, 0, 1, false), kernel(3, 1, 0, false), total, kernel(1, 2, 0, false),
		kernel(3, 0, 0, true), kernel(3, 0, 0, false)}
	var sizes []int
	for _, g := range (&file{Program: p}).groups(body) {
		sizes = append(sizes, len(g))
	}
	if want := []int{2, 1, 3}; !slices.Equal(sizes, want) {
		t.Errorf("groups of %v statements, want %v", sizes, want)
	}
	p.Entries = []ir.Entry{{Name: "e", Body: body}}
	text, _ := strings.CutPrefix(C(p), c().prelude)
	if !strings.Contains(text, "wide b1[3];") || strings.Contains(text, "wide b2[") {
		t.Errorf("b1 is used in one function only, b2 in two:\n%s", text)
	}
}

// TestEven checks that tiles cover n, are not larger than allowed, and are as few as possible.
func TestEven(t *testing.T) {
	for n := 1; n < 50; n++ {
		covered, tiles := 0, 0
		cut(n, even(n, 8), func(from, to, tile int) {
			if from != covered || tile > 8 || (to-from)%tile != 0 {
				t.Errorf("n = %d: tiles of %d from %d to %d", n, tile, from, to)
			}
			covered, tiles = to, tiles+(to-from)/tile
		})
		if covered != n || tiles != (n+7)/8 {
			t.Errorf("n = %d: %d tiles cover %d", n, tiles, covered)
		}
	}
}

// TestTurnsOfNetworks checks that an iteration for a network has a function for each statement, and that equal
// statements share one.
func TestTurnsOfNetworks(t *testing.T) {
	square := func(from, to ir.BufID) ir.Stmt {
		var b ir.Body
		v := b.Load(from, ir.Dense(6))
		r := b.Do(ir.Mul, v, v)
		return &ir.Kernel{Extents: []int{6}, Body: b, Out: []ir.Output{{Buf: to, Index: ir.Dense(6), Value: r}}}
	}
	p := &ir.Program{Layout: ir.Apart, Buffers: []ir.Buffer{{Name: "x", Space: ir.Lane, Size: 6},
		{Name: "u", Space: ir.Tile, Size: 6}, {Name: "v", Space: ir.Tile, Size: 6},
		{Name: "w", Space: ir.Tile, Size: 6},
		{Name: "y", Space: ir.Lane, Size: 6}}}
	p.Entries = []ir.Entry{{Name: "step", Body: []ir.Stmt{&ir.Tiles{Rows: 4, Size: 1,
		Body: []ir.Stmt{square(0, 1), square(1, 2), square(2, 3)},
		Out:  []ir.TileOut{{From: 3, To: 4, Combine: ir.Sum}}}}}}
	text := C(p)
	_, turn, _ := strings.Cut(text, "static void p1(const context *c, long turn) {\n")
	turn, _, _ = strings.Cut(turn, "\n}")
	var names []string
	for _, call := range strings.Split(turn, "\n") {
		name, _, _ := strings.Cut(strings.TrimSpace(call), "(")
		names = append(names, name)
	}
	// the buffer that is combined, w, has a copy for each iteration, which the call selects
	if len(names) != 3 || names[0] != names[1] || names[1] != names[2] ||
		strings.Count(text, "STATEMENT "+names[0]+"(") != 1 {
		t.Errorf("the turn is\n%s", turn)
	}
	if !strings.Contains(turn, "c->buffer[3] + turn * 6") {
		t.Errorf("a turn does not write its own copy of what is combined:\n%s", turn)
	}
}

// TestEntriesShareFunctions checks that entries with the same computation share its function, whatever buffers they
// use.
func TestEntriesShareFunctions(t *testing.T) {
	half := func(from, to ir.BufID, by float64) []ir.Stmt {
		var b ir.Body
		r := b.Do(ir.Mul, b.Load(from, ir.Dense(6)), b.Const(by))
		out := []ir.Output{{Buf: to, Index: ir.Dense(6), Value: r}}
		return []ir.Stmt{&ir.Kernel{Extents: []int{6}, Body: b, Out: out}}
	}
	p := &ir.Program{}
	for _, name := range []string{"x", "y", "z"} {
		p.Buffers = append(p.Buffers, ir.Buffer{Name: name, Space: ir.Lane, Size: 6})
	}
	p.Entries = []ir.Entry{{Name: "a", Body: half(0, 1, .5)}, {Name: "b", Body: half(2, 0, .5)},
		{Name: "c", Body: half(0, 1, .25)}}
	text := C(p)
	if strings.Count(text, "\nSTATEMENT s") != 2 ||
		!strings.Contains(text, "s0(c, (wide *)c->buffer[2], (wide *)c->buffer[0]);") {
		t.Errorf("the text is\n%s", text[strings.Index(text, "\nSTATEMENT s"):])
	}
}
