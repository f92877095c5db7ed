package lower_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	ad "ppl/autodiff"
	"ppl/compiler/backend/ir"
	"ppl/compiler/backend/lower"
	"ppl/runtime/device"
	"ppl/runtime/host"
	stream "ppl/runtime/noise"
)

// TestNoise checks that a noise has the same elements in whatever order and kernel they are read.
func TestNoise(t *testing.T) {
	g := ad.New()
	z, u := g.Normal(3, 4, 5), g.Uniform(4, 7)
	x := g.Input("x", 5, 4)
	e := lower.Entry{Name: "f", Assign: []lower.Assign{
		{Name: "z", Value: z},
		{Name: "turned", Value: ad.Add(ad.Permute(z, 1, 0), x)},
		{Name: "sum", Value: ad.Sum(ad.Exp(z), 1)},
		{Name: "u", Value: u},
		{Name: "tail", Value: ad.Slice(u, []int{2}, []int{7})},
		{Name: "wide", Value: ad.Broadcast(u, []int{3, 7}, []int{1})},
	}}
	p := program(t, e)
	r := reference(t, p)
	run(t, r, "f")
	noiseTies(t, func(name string) []float64 { return laneOf(r, name, 0) })
	h := load(t, p, 2)
	for range 2 {
		run(t, h, "f")
		noiseTies(t, func(name string) []float64 { return laneOf(h, name, 1) })
	}
}

// TestShuffle checks that rows of data are gathered by a shuffle of a lane's key and counter, and that a gather from
// consecutive numbers is replaced by the shuffle itself.
func TestShuffle(t *testing.T) {
	const n, m = 9, 5
	g := ad.New()
	key, counter := g.Input("key"), g.Input("counter")
	data := make([]float64, n)
	for i := range data {
		data[i] = math.Sqrt(float64(i))
	}
	position := ad.Add(ad.Mul(counter, g.Const(m)), g.Iota(m))
	rows := g.Shuffle(n, key, position)
	e := lower.Entry{Name: "f", Assign: []lower.Assign{
		{Name: "rows", Value: rows},
		{Name: "batch", Value: ad.Gather(g.Data("x", data, n), rows)},
		{Name: "twice", Value: ad.Sum(ad.Mul(ad.Broadcast(rows, []int{3, m}, []int{1}), g.Input("w", 3, m)), 1)},
		{Name: "alone", Value: g.Shuffle(n, key, counter)},
		{Name: "counter", Value: ad.Add(counter, g.Const(1))},
	}}
	x := load(t, program(t, e), 3)
	x.Set("key", []float64{4, 5, 6})
	x.Set("w", slices.Repeat([]float64{2}, 3*3*m))
	for turn := range 4 {
		run(t, x, "f")
		want, batch, sum := make([]float64, m), make([]float64, m), 0.0
		for i := range want {
			want[i] = stream.Shuffle(0, n, 5, float64(turn*m+i))
			batch[i] = data[int(want[i])]
			sum += 2 * want[i]
		}
		same(t, "rows", laneOf(x, "rows", 1), want)
		same(t, "batch", laneOf(x, "batch", 1), batch)
		same(t, "twice", laneOf(x, "twice", 1), []float64{sum, sum, sum})
		same(t, "alone", laneOf(x, "alone", 1), []float64{stream.Shuffle(0, n, 5, float64(turn))})
	}
}

// TestPeers checks that lanes read the buffers of the next lane of their group before any value is computed.
func TestPeers(t *testing.T) {
	g := ad.New()
	met, value := g.Input("met", 2), g.Input("value", 2)
	x, err := host.Device{}.Load(program(t,
		lower.Entry{Name: "meet", Peers: []lower.Peer{{Key: "at", Want: "next",
			Copies: []lower.Copy{{From: "value", To: "met"}}}},
			Assign: []lower.Assign{{Name: "sum",
				Value: ad.Add(met, g.Addressed(3, g.Input("at"), g.Const(5), g.Iota(2)))}}},
		lower.Entry{Name: "copy", Assign: []lower.Assign{{Name: "value", Value: ad.Add(value, met)},
			{Name: "next", Value: ad.Add(g.Input("at"), g.Const(1))}}}), device.Options{Lanes: 4, Group: 2, Seed: 9})
	if err != nil {
		t.Fatal(err)
	}
	x.Set("at", []float64{0, 1, 0, 1})
	x.Set("next", []float64{1, 0, 1, 2})
	x.Set("value", []float64{1, 2, 3, 4, 5, 6, 7, 8})
	run(t, x, "meet")
	for lane, want := range [][]float64{{3, 4}, {1, 2}, {7, 8}, {math.NaN(), math.NaN()}} {
		for i := range want {
			want[i] += stream.Uniform(9, uint32(lane%2), 5, 3, uint32(i))
		}
		if got := laneOf(x, "sum", lane); !slices.Equal(got, want) && lane < 3 || lane == 3 && !math.IsNaN(got[0]) {
			t.Errorf("lane %d has %v, want %v", lane, got, want)
		}
	}
}

func laneOf(x device.Executable, name string, k int) []float64 {
	out := make([]float64, x.Size(name))
	x.GetLane(name, k, out)
	return out
}

func noiseTies(t *testing.T, at func(string) []float64) {
	t.Helper()
	z, u := at("z"), at("u")
	turned, sum := make([]float64, 20), make([]float64, 4)
	for i := range 4 {
		for j := range 5 {
			turned[j*4+i] = z[i*5+j]
			sum[i] += math.Exp(z[i*5+j])
		}
	}
	same(t, "turned", at("turned"), turned)
	same(t, "sum", at("sum"), sum)
	same(t, "tail", at("tail"), u[2:])
	same(t, "wide", at("wide"), slices.Concat(u, u, u))
	if z[0] == z[1] || u[0] == u[1] {
		t.Error("elements of a noise are equal")
	}
}

// TestNoiseTurned compares a noise in two programs: read in its own order, and read in another order by the only
// kernel.
func TestNoiseTurned(t *testing.T) {
	draw := func(f func(z ad.Node) ad.Node) []float64 {
		x := load(t,
			program(t, lower.Entry{Name: "f", Assign: []lower.Assign{{Name: "z", Value: f(ad.New().Normal(3, 4, 5))}}}),
			2)
		run(t, x, "f")
		return laneOf(x, "z", 1)
	}
	z, turned := draw(func(z ad.Node) ad.Node { return z }),
		draw(func(z ad.Node) ad.Node { return ad.Permute(z, 1, 0) })
	want := make([]float64, 20)
	for k := range z {
		want[k%5*4+k/5] = z[k]
	}
	same(t, "turned", turned, want)
}

// TestSwap checks that an entry assigns all values simultaneously, and that buffers keep their contents between
// entries.
func TestSwap(t *testing.T) {
	g, h := ad.New(), ad.New()
	a, b := g.Input("a", 3), g.Input("b", 3)
	c := h.Input("c")
	p := program(t,
		lower.Entry{Name: "swap", Assign: []lower.Assign{{Name: "a", Value: b}, {Name: "b", Value: a}}},
		lower.Entry{Name: "roll",
			Assign: []lower.Assign{{Name: "a", Value: ad.Gather(a, g.Data("i", []float64{1, 2, 0}, 3))}}},
		lower.Entry{Name: "count", Assign: []lower.Assign{{Name: "c", Value: ad.Add(c, h.Const(1))},
			{Name: "before", Value: c}}},
	)
	x := load(t, p, 1)
	set(x, 0, map[string][]float64{"a": {1, 2, 3}, "b": {4, 5, 6}, "c": {0}})
	calls := []device.Call{{Entry: "swap", Times: 3}, {Entry: "roll", Times: 2}, {Entry: "count", Times: 5}}
	if _, err := x.Run(calls, 0, nil); err != nil {
		t.Fatal(err)
	}
	same(t, "a", laneOf(x, "a", 0), []float64{6, 4, 5})
	same(t, "b", laneOf(x, "b", 0), []float64{1, 2, 3})
	same(t, "c", laneOf(x, "c", 0), []float64{5})
	same(t, "before", laneOf(x, "before", 0), []float64{4})
}

// TestRows checks that a value is assigned to the row whose number each lane gives, and that other rows do not change.
// The entry uses the old number even if it also assigns a new one. A number beyond the ends selects the first or the
// last row.
func TestRows(t *testing.T) {
	const rows = 3
	g := ad.New()
	n, x := g.Input("n"), g.Input("x", 2)
	e := lower.Entry{Name: "f", Assign: []lower.Assign{
		{Name: "n", Value: ad.Add(n, g.Const(1))},
		{Name: "x", Value: ad.Mul(x, g.Full(2, 2))},
		{Name: "kept", Value: x, At: n, Rows: rows},
		{Name: "doubled", Value: ad.Mul(x, g.Full(2, 2)), At: ad.Sub(g.Const(rows-1), n), Rows: rows},
		{Name: "sums", Value: ad.SumAll(x), At: n, Rows: rows},
	}}
	for _, layout := range []ir.Layout{ir.Interleaved, ir.Apart} {
		p := programIn(t, layout, e)
		for name, lanes := range map[string]int{"host": 5, "reference": 1} {
			x := reference(t, p)
			if name == "host" {
				x = load(t, p, lanes)
			}
			for lane := range lanes {
				set(x, lane, map[string][]float64{"n": {float64(lane - 1)}, "x": {1, float64(lane)}})
			}
			for range 2 {
				run(t, x, "f")
			}
			for lane := range lanes {
				kept, doubled, sums := make([]float64, 2*rows), make([]float64, 2*rows), make([]float64, rows)
				for k := range 2 {
					scale := float64(int(1) << k)
					at := max(0, min(lane-1+k, rows-1))
					back := max(0, min(rows-1-(lane-1+k), rows-1))
					copy(kept[2*at:], []float64{scale, scale * float64(lane)})
					copy(doubled[2*back:], []float64{2 * scale, 2 * scale * float64(lane)})
					sums[at] = scale * float64(1+lane)
				}
				in := fmt.Sprintf("%s, %v, lane %d: ", name, layout, lane)
				same(t, in+"kept", laneOf(x, "kept", lane), kept)
				same(t, in+"doubled", laneOf(x, "doubled", lane), doubled)
				same(t, in+"sums", laneOf(x, "sums", lane), sums)
				same(t, in+"n", laneOf(x, "n", lane), []float64{float64(lane + 1)})
			}
		}
	}
}

// TestSetup checks that values that depend only on data are computed once at load for all entries, and that data are
// stored once.
func TestSetup(t *testing.T) {
	g := ad.New()
	d := g.Data("d", series(30, func(i float64) float64 { return i + 1 }), 30)
	x := g.Input("x", 30)
	static := ad.Lgamma(ad.Exp(ad.Log(d)))
	p := program(t,
		lower.Entry{Name: "f", Assign: []lower.Assign{{Name: "out", Value: ad.SumAll(ad.Mul(x, static))}}},
		lower.Entry{Name: "g", Assign: []lower.Assign{{Name: "out", Value: ad.SumAll(ad.Mul(ad.Mul(x, d), static))}}},
	)
	if len(p.Setup) != 1 {
		t.Errorf("%d statements of setup, want 1", len(p.Setup))
	}
	shared := 0
	for _, b := range p.Buffers {
		if b.Space == ir.Shared {
			shared++
		}
	}
	if shared != 2 {
		t.Errorf("%d shared buffers, want the data and one value", shared)
	}
	for _, e := range p.Entries {
		for _, in := range e.Body[0].(*ir.Kernel).Body {
			if in.Op == ir.Lgamma || in.Op == ir.Log || in.Op == ir.Exp {
				t.Errorf("entry %s computes %v of data", e.Name, in.Op)
			}
		}
	}
}

// TestDead checks that values that no assigned value needs are not computed, but that inputs keep their buffers.
func TestDead(t *testing.T) {
	g := ad.New()
	x := g.Input("x", 4)
	ad.Exp(g.Input("unread", 9))
	p := program(t, lower.Entry{Name: "f", Assign: []lower.Assign{{Name: "out", Value: ad.SumAll(x)}}})
	if k := p.Entries[0].Body[0].(*ir.Kernel); len(p.Entries[0].Body) != 1 || len(k.Body) != 1 {
		t.Errorf("a sum takes %d statements, the first of %d instructions", len(p.Entries[0].Body), len(k.Body))
	}
	if n := load(t, p, 1).Size("unread"); n != 9 {
		t.Errorf("unread has %d elements", n)
	}
}

// TestDeterministic checks that lowering the same graphs twice gives the same text.
func TestDeterministic(t *testing.T) {
	text := func() string {
		var b strings.Builder
		for _, d := range densities() {
			program(t, leapfrog(d)).Print(&b)
		}
		return b.String()
	}
	if a, b := text(), text(); a != b {
		t.Error("lowering the same graphs twice gave two programs")
	}
}

func TestErrors(t *testing.T) {
	g, h := ad.New(), ad.New()
	x, y := g.Input("x", 3), h.Input("x", 4)
	for _, c := range []struct {
		entries []lower.Entry
		want    string
	}{
		{[]lower.Entry{{Name: "f", Assign: []lower.Assign{{Name: "a", Value: x}, {Name: "a", Value: x}}}},
			`entry "f" assigns "a" twice`},
		{[]lower.Entry{{Name: "f", Assign: []lower.Assign{{Name: "x", Value: ad.SumAll(x)}}}},
			`entry "f" uses buffer "x" with 1 elements`},
		{[]lower.Entry{{Name: "f", Assign: []lower.Assign{{Name: "a", Value: x}}},
			{Name: "g", Assign: []lower.Assign{{Name: "b", Value: y}}}},
			`entry "g" uses buffer "x" with 4 elements, but it has 3 elsewhere`},
		{[]lower.Entry{{Name: "f", Assign: []lower.Assign{{Name: "x", Value: x}}},
			{Name: "g", Assign: []lower.Assign{{Name: "b", Value: ad.New().Given("x", 3)}}}},
			`entry "g" uses "x", which is both given to all lanes and a buffer of each lane`},
	} {
		if _, err := lower.Program(c.entries); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}
