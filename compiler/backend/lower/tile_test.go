package lower_test

import (
	"math"
	"testing"

	ad "ppl/autodiff"
	"ppl/compiler/backend/ir"
	"ppl/compiler/backend/lower"
	"ppl/runtime/noise"
)

// groups returns the density of a regression with group effects, which are gathered.
func groups(n, j int) func(g *ad.Graph, theta ad.Node) ad.Node {
	return func(g *ad.Graph, theta ad.Node) ad.Node {
		group := g.Data("group", series(n, func(i float64) float64 { return math.Mod(i*i, float64(j)) }), n)
		y := g.Data("y", series(n, math.Sin), n)
		a := part(theta, 0, j)
		fit := ad.Mul(ad.Gather(a, group), ad.Exp(scalarAt(theta, j)))
		return ad.Add(ad.SumAll(normal(y, fit, g.Const(1))), ad.SumAll(normal(theta, g.Const(0), g.Const(1))))
	}
}

// rowEffects returns a density with a coordinate for each row, and a softmax over columns within rows.
func rowEffects(n int) func(g *ad.Graph, theta ad.Node) ad.Node {
	return func(g *ad.Graph, theta ad.Node) ad.Node {
		const k = 9 // more elements than a reduction that is unrolled
		wide := []int{n, k}
		table := g.Data("table", series(n*k, func(i float64) float64 { return math.Sin(i * i) }), n, k)
		z, mu := part(theta, 1, n), scalarAt(theta, 0)
		score := ad.Mul(table, ad.Broadcast(z, wide, []int{0}))
		like := ad.Sub(ad.Reshape(ad.Slice(score, []int{0, 0}, []int{n, 1}), n), ad.LogSumExp(score, 1))
		return ad.Add(ad.SumAll(like), ad.SumAll(normal(z, mu, g.Const(2))))
	}
}

// twoLayers returns a density with products of the rows' features. Both factors of each product vary, and so do the
// gradients with respect to both.
func twoLayers(n, d, h int) func(g *ad.Graph, theta ad.Node) ad.Node {
	return func(g *ad.Graph, theta ad.Node) ad.Node {
		x := g.Data("x", series(n*d, func(i float64) float64 { return math.Sin(i*i + 1) }), n, d)
		w1, w2 := ad.Reshape(part(theta, 0, d*h), d, h), ad.Reshape(part(theta, d*h, h), h, 1)
		return ad.SumAll(ad.LogSigmoid(ad.MatMul(ad.Tanh(ad.MatMul(x, w1, false, false)), w2, false, false)))
	}
}

// byColumns returns the density of a regression whose products have the columns as their outermost loop.
func byColumns(n, d int) func(g *ad.Graph, theta ad.Node) ad.Node {
	return func(g *ad.Graph, theta ad.Node) ad.Node {
		x := g.Data("x", series(n*d, func(i float64) float64 { return math.Sin(i*i + 1) }), n, d)
		fit := ad.Sum(ad.Mul(ad.Permute(x, 1, 0), ad.Broadcast(part(theta, 0, d), []int{d, n}, []int{0})), 0)
		return ad.SumAll(ad.LogSigmoid(fit))
	}
}

// tiledDensities returns densities over thousands of rows; no tile size divides the number of rows.
func tiledDensities() []density {
	return []density{
		{"logistic", 6, logistic(9001, 5)},
		{"groups", 31, groups(20_011, 30)},
		{"row effects", 6_008, rowEffects(6_007)},
		{"two layers", 44, twoLayers(5_003, 10, 4)},
		{"by columns", 9, byColumns(9_001, 9)},
	}
}

// TestTiles compares gradients and steps over many rows with Eval, and checks that no scratch buffer is as long as the
// data.
func TestTiles(t *testing.T) {
	for k, d := range tiledDensities() {
		t.Run(d.name, func(t *testing.T) {
			g := ad.New()
			theta := g.Input("theta", d.dim)
			lp := d.logp(g, theta)
			p := check(t, source(uint64(k)), lp, ad.Grad(lp, theta)[0])
			bounded(t, p, 4096)
			r := source(9)
			start := map[string][]float64{"q": normals(r, d.dim), "v": normals(r, d.dim), "grad": normals(r, d.dim),
				"eps": {0.01}}
			checkSteps(t, leapfrog(d), start, 2)
		})
	}
}

// bounded checks that a program has tiles and no other temporary of more than n elements.
func bounded(t *testing.T, p *ir.Program, n int) {
	t.Helper()
	tiles := 0
	for _, s := range p.Entries[0].Body {
		if s, ok := s.(*ir.Tiles); ok {
			tiles += s.Turns()
		}
	}
	if tiles < 2 {
		t.Errorf("%d tiles\n%v", tiles, p)
	}
	for _, b := range p.Buffers {
		if b.Space == ir.Scratch && b.Size > n {
			t.Errorf("scratch of %d elements\n%v", b.Size, p)
		}
	}
}

// TestTileOrder checks that statements that need the results of tiles, or overwrite what the tiles read, come after
// them.
func TestTileOrder(t *testing.T) {
	const n = 9_001
	g := ad.New()
	x, m := g.Input("x", n), g.Input("m")
	away := ad.Sub(x, m)
	spread := ad.Sqrt(ad.Mul(ad.SumAll(sq(away)), g.Const(1.0/n)))
	entry := lower.Entry{Name: "step", Assign: []lower.Assign{
		{Name: "x", Value: ad.Div(away, spread)}, {Name: "m", Value: ad.Mul(g.Const(1.0/n), ad.SumAll(x))},
		{Name: "turned", Value: ad.Sub(ad.Slice(x, []int{1}, []int{n}), ad.Slice(x, []int{0}, []int{n - 1}))},
		{Name: "top", Value: ad.Max(x, 0)}}}
	checkSteps(t, entry, map[string][]float64{"x": normals(source(3), n), "m": {0.1}}, 3)
}

// TestTileNoise checks that noise is addressed by the position among all rows.
func TestTileNoise(t *testing.T) {
	const n = 9_001
	g := ad.New()
	e := lower.Entry{Name: "f",
		Assign: []lower.Assign{{Name: "z", Value: ad.Add(g.Normal(3, n), ad.Mul(g.Const(0), g.Input("x", n)))}}}
	p := program(t, e)
	r := reference(t, p)
	run(t, r, "f")
	bounded(t, p, 0)
	for i, got := range laneOf(r, "z", 0) {
		if want := noise.Normal(0, 0, 0, 3, uint32(i)); got != want {
			t.Fatalf("z[%d] is %v, want %v", i, got, want)
		}
	}
}

// TestTilesAreNumberedInOneOrder checks that lowering a density is deterministic: its text is a key of the cache, and
// ranks compare it.
func TestTilesAreNumberedInOneOrder(t *testing.T) {
	for _, d := range tiledDensities() {
		first := ""
		for range 20 {
			g := ad.New()
			theta := g.Input("theta", d.dim)
			lp := d.logp(g, theta)
			p, err := lower.Program([]lower.Entry{{Name: "density", Assign: []lower.Assign{{Name: "lp", Value: lp},
				{Name: "gradient", Value: ad.Grad(lp, theta)[0]}}}})
			if err != nil {
				t.Fatal(err)
			}
			if text := p.String(); first == "" {
				first = text
			} else if text != first {
				t.Fatalf("%s: another program", d.name)
			}
		}
	}
}

// classified returns the density of a network with two layers of convolution over n images, each with one class
// gathered by its flat position.
func classified(n int) func(g *ad.Graph, theta ad.Node) ad.Node {
	const side, c, out = 20, 8, 8
	return func(g *ad.Graph, theta ad.Node) ad.Node {
		data := g.Data("x", series(n*side*side*c, func(i float64) float64 { return math.Sin(i * i) }), n, side, side, c)
		classes := series(n, func(i float64) float64 { return math.Mod(i*i, out) })
		class := ad.Minimum(ad.Maximum(g.Data("class", classes, n), g.Const(0)), g.Const(out-1))
		row := g.Data("row", series(n, func(i float64) float64 { return i }), n)
		f1 := ad.Reshape(part(theta, 0, 9*c*c), 3, 3, c, c)
		f2 := ad.Reshape(part(theta, 9*c*c, 9*c*out), 3, 3, c, out)
		x := ad.Mul(data, ad.Exp(scalarAt(theta, 9*c*c+9*c*out)))
		y := ad.Tanh(convolve(ad.Tanh(convolve(x, f1)), f2))
		z := ad.Reshape(ad.Sum(y, 1, 2), n*out)
		at := ad.Add(ad.Mul(g.Const(out), row), class)
		return ad.Sub(ad.SumAll(ad.Gather(z, at)), ad.SumAll(ad.LogSumExp(ad.Reshape(z, n, out), 1)))
	}
}

// TestImagesAreTiles checks that an iteration processes one or a few images if the rows of products, forward and
// backward, belong to images, and that no buffer holds values of all images.
func TestImagesAreTiles(t *testing.T) {
	const dim = 2*9*8*8 + 1
	g := ad.New()
	theta := g.Input("theta", dim)
	lp := classified(5)(g, theta)
	p := checkIn(t, ir.Apart, source(3), lp, ad.Grad(lp, theta)[0])
	each := map[int]bool{}
	for _, s := range p.Entries[0].Body {
		if s, ok := s.(*ir.Tiles); ok && s.Rows == 5 {
			for _, b := range s.Body {
				if m, ok := b.(*ir.MatMul); ok {
					each[m.Each] = true
				}
			}
		}
	}
	if !each[18*18] || !each[16*16] {
		t.Errorf("products with %v rows for each image", each)
	}
	bounded(t, p, 4096)
}
