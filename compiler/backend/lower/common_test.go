package lower_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	ad "ppl/autodiff"
	"ppl/compiler/backend/lower"
)

// TestRearrangedData checks that data gathered by an index that is itself data are rearranged once at load, so that the
// program reads them in order. The values are those of the graph, and the entry reads one list less.
func TestRearrangedData(t *testing.T) {
	g, r := ad.New(), source(8)
	numbers := func(n, below int) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = float64(r.IntN(below))
		}
		return out
	}
	x, order := g.Data("x", numbers(60, 1000), 20, 3), g.Data("order", numbers(15, 18), 15)
	at := ad.Add(g.Data("offset", []float64{0, 1, 2, 3}, 4), ad.Floor(ad.Broadcast(g.Input("first"), []int{4}, nil)))
	rows := ad.Gather(x, ad.Add(ad.Gather(order, at), g.Full(1, 4)))
	p := check(t, rand.New(rand.NewPCG(8, 8)), rows)
	loads := 0
	for _, line := range strings.Split(p.String(), "\n") {
		if strings.Contains(line, "<") && strings.Contains(line, "= b") {
			loads++
		}
	}
	if loads != 2 { // one at load and one in the entry; without the rule, the entry would also read the index list
		t.Errorf("%d loads at an index in\n%s", loads, p)
	}
}

// TestCommonRowsAreNotStored checks that values that all lanes share are computed in the kernels that read them, and
// that the product of such a matrix with a vector is not a MatMul, which would need a copy of the matrix for each lane.
func TestCommonRowsAreNotStored(t *testing.T) {
	g := ad.New()
	x, theta := g.Data("x", make([]float64, 400*5), 400, 5), g.Input("theta", 5)
	first := ad.Floor(ad.Mul(g.Const(300), g.Common(3)))
	rows := ad.Gather(x, ad.Add(g.Iota(100), ad.Broadcast(first, []int{100}, nil)))
	eta := ad.Reshape(ad.MatMul(rows, ad.Reshape(theta, 5, 1), false, false), 100)
	out := ad.Grad(ad.SumAll(ad.LogSigmoid(eta)), theta)[0]
	p := program(t, lower.Entry{Name: "run", Assign: []lower.Assign{{Name: "out", Value: out}}})
	if text := p.String(); strings.Contains(text, "matmul") || !strings.Contains(text, "common site 3") {
		t.Errorf("rows are stored:\n%s", text)
	}
	for _, b := range p.Buffers {
		if b.Space != 0 && b.Size >= 500 {
			t.Errorf("a buffer of %d numbers for each lane", b.Size)
		}
	}
}

// TestRowsCountFromACommonNumber checks that rows with consecutive numbers, starting at a number that all lanes share,
// are read at strides of the loop, with the number loaded outside of it. The rows are correct also if they are the last
// ones.
func TestRowsCountFromACommonNumber(t *testing.T) {
	const rows, size = 40, 7
	for _, share := range []float64{0, 1} { // share of the possible first rows
		g := ad.New()
		x := make([]float64, rows*3)
		for i := range x {
			x[i] = float64(i)
		}
		u := g.Common(3)
		first := ad.Floor(ad.Mul(g.Const(share*(rows-size)+0.5), ad.Div(u, u)))
		at := ad.Add(ad.Broadcast(ad.Add(first, g.Const(2*(1-share))), []int{size}, nil), g.Iota(size))
		p := program(t, lower.Entry{Name: "run", Assign: []lower.Assign{{Name: "out",
			Value: ad.Mul(ad.Gather(g.Data("x", x, rows, 3), at), g.Input("one"))}}})
		if text := p.String(); !strings.Contains(text, "[3·i + j + 3·r") {
			t.Errorf("no strides:\n%s", text)
		}
		exe := load(t, p, 2)
		exe.Set("one", []float64{1, 1})
		run(t, exe, "run")
		want := make([]float64, size*3)
		for i := range want {
			want[i] = 3*(share*(rows-size)+2*(1-share)) + float64(i)
		}
		same(t, "rows", laneOf(exe, "out", 1), want)
	}
}
