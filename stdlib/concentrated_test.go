package stdlib

import (
	"math"
	"slices"
	"testing"

	ad "ppl/autodiff"
)

// Log densities of concentrated distributions agree with mpmath at 60 digits. At k = 10¹² an argument has a relative
// rounding error of 10⁻¹⁶, which is 10⁻¹⁰ of the width of the distribution.
func TestConcentrated(t *testing.T) {
	for _, c := range []struct {
		name string
		x    float64
		args []float64
		want float64
	}{
		{"Gamma", 1.3, []float64{2.5, 0.7}, -1.6928238336185136},
		{"Gamma", 0.001, []float64{0.4, 3}, 3.7844202651547423},
		{"Gamma", 2.0000007, []float64{1e12, 5e11}, 12.142174508458631},
		{"Gamma", 1.00001, []float64{1e10, 1e10}, 10.093980265109004},
		{"InverseGamma", 1.3, []float64{2.5, 0.7}, -2.6331066944175075},
		{"InverseGamma", 0.003, []float64{4.5, 3}, -965.55969482510878},
		{"InverseGamma", 1.9999994, []float64{1e12, 2e12}, 12.158425126213677},
		{"Beta", 0.3, []float64{2.5, 0.7}, -1.3591020131569611},
		{"Beta", 1e-05, []float64{0.4, 3}, 6.5102383404231487},
		{"Beta", 0.3000001, []float64{3e12, 7e12}, 14.590093047091045},
		{"Beta", 0.999999, []float64{1e6, 2}, 12.815512057963941},
	} {
		d := Dists()[c.name]
		g := ad.New()
		x := g.Input("x")
		var args []Node
		at := map[string][]float64{"x": {c.x}}
		for i, v := range c.args {
			name := string(rune('a' + i))
			args, at[name] = append(args, g.Input(name)), []float64{v}
		}
		y := d.Concentrated(&d.Forms[0])(x, args)
		values := ad.Eval(at, append([]Node{y}, ad.Grad(y, append([]Node{x}, args...)...)...)...)
		if got := values[0][0]; !(math.Abs(got-c.want) <= 1e-9*math.Abs(c.want)) {
			t.Errorf("%s(%v) at %v: %.17g, want %.17g", c.name, c.args, c.x, got, c.want)
		}
		for _, slope := range values[1:] {
			if math.IsNaN(slope[0]) || math.IsInf(slope[0], 0) {
				t.Errorf("%s(%v) at %v: slopes %v", c.name, c.args, c.x, values[1:])
			}
		}
	}
}

// A concentrated Dirichlet distribution of two elements agrees with the beta distribution, and one of three elements
// that is not concentrated with the usual formula.
func TestConcentratedDirichlet(t *testing.T) {
	d := Dists()["Dirichlet"]
	g := ad.New()
	x, a := g.Input("x", 2, 3), g.Input("a", 3)
	at := map[string][]float64{"x": {.2, .3, .5, .1, .6, .3}, "a": {.7, 30, 4}}
	y, usual := d.Concentrated(&d.Forms[0])(x, []Node{a}), d.Forms[0].LogProb(x, []Node{a})
	got := ad.Eval(at, y, ad.Grad(ad.SumAll(y), a)[0], usual, ad.Grad(ad.SumAll(usual), a)[0])
	for k := range 2 {
		for i, want := range got[2+k] {
			if math.Abs(got[k][i]-want) > 1e-12*math.Abs(want) {
				t.Errorf("%v, want %v", got[:2], got[2:])
			}
		}
	}
	two, shares := g.Input("two", 2), g.Input("shares", 2)
	y = d.Concentrated(&d.Forms[0])(shares, []Node{two})
	p := ad.Eval(map[string][]float64{"two": {3e12, 7e12}, "shares": {.3000001, .6999999}}, y)[0][0]
	if want := 14.590093047091045; math.Abs(p-want) > 1e-5 { // 1 - .3000001 is rounded
		t.Errorf("%.17g, want %.17g", p, want)
	}
}

// Every row of lines works with the argument names of each form of its distribution.
func TestLinesHaveTheirArguments(t *testing.T) {
	g := ad.New()
	found := 0
	for _, d := range Dists() {
		if !d.HasLine() {
			continue
		}
		found++
		for i := range d.Forms {
			f := &d.Forms[i]
			var args []Node
			for _, a := range f.Args {
				args = append(args, g.Full(0.3, slices.Repeat([]int{3}, a.Rank)...))
			}
			at, width := d.OnLine(f, args)
			if !at.Valid() || !width.Valid() || (len(d.LineSpread(f)) == 0) != (lines[d.Name].spread == nil) {
				t.Errorf("form %d of %s", i, d.Name)
			}
		}
	}
	if found != len(lines) {
		t.Errorf("%d of %d rows are of distributions", found, len(lines))
	}
}
