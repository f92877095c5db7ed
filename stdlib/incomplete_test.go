package stdlib

import (
	"bufio"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	ad "ppl/autodiff"
)

type incompleteRow struct {
	name       string
	args, want []float64 // want: log of both tails, then their derivatives in each argument
}

// readIncomplete reads testdata/incomplete.txt, which testdata/incomplete.py computes with mpmath.
func readIncomplete(t *testing.T) (rows []incompleteRow) {
	f, err := os.Open("testdata/incomplete.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		words := strings.Fields(s.Text())
		n := map[string]int{"gamma": 2, "beta": 3}[words[0]]
		row := incompleteRow{name: words[0]}
		for i, w := range words[1:] {
			v, err := strconv.ParseFloat(w, 64)
			if err != nil {
				t.Fatal(err)
			}
			if i < n {
				row.args = append(row.args, v)
			} else {
				row.want = append(row.want, v)
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// eval returns both tails and their derivatives.
func (r incompleteRow) eval() []float64 {
	g := ad.New()
	a, x := g.Input("a"), g.Input("x")
	in := map[string][]float64{"a": r.args[:1], "x": r.args[len(r.args)-1:]}
	vars := []Node{a, x}
	lower, upper := Node{}, Node{}
	if r.name == "gamma" {
		lower, upper = logGammaTails(a, x)
	} else {
		b := g.Input("b")
		vars, in["b"] = []Node{a, b, x}, r.args[1:2]
		lower, upper = logBetaTails(a, b, x, ad.Sub(g.Const(1), x))
	}
	nodes := []Node{lower, upper}
	for _, v := range vars {
		nodes = append(nodes, ad.Grad(lower, v)[0], ad.Grad(upper, v)[0])
	}
	var out []float64
	for _, v := range ad.Eval(in, nodes...) {
		out = append(out, v[0])
	}
	return out
}

// worstOf returns the largest relative error over the rows. Values below the least normal number are not compared.
func worstOf(rows []incompleteRow) (worst float64, at incompleteRow) {
	for _, r := range rows {
		for i, got := range r.eval() {
			if math.Abs(r.want[i]) < 1e-300 && math.Abs(got) < 1e-300 {
				continue
			}
			if e := math.Abs(got-r.want[i]) / math.Abs(r.want[i]); !(e <= worst) {
				worst, at = e, r
			}
		}
	}
	return worst, at
}

// TestIncomplete checks both tails and all derivatives within a relative error of 3e-12. With arguments changed by
// 1e-10, the comparison must fail.
func TestIncomplete(t *testing.T) {
	rows := readIncomplete(t)
	if len(rows) < 200 {
		t.Fatalf("%d rows", len(rows))
	}
	if e, at := worstOf(rows); !(e < 3e-12) {
		t.Errorf("%s%v is %.2g off", at.name, at.args, e)
	}
	rows = rows[:40]
	for i := range rows {
		rows[i].args[0] *= 1 + 1e-10
	}
	if e, _ := worstOf(rows); e < 3e-12 {
		t.Errorf("moved arguments are not noticed: %.2g", e)
	}
}

// TestIncompleteEnds checks that at the ends of the range one tail is 0 and the other 1, with gradient 0.
func TestIncompleteEnds(t *testing.T) {
	g := ad.New()
	a, x := g.Input("a"), g.Input("x")
	gl, gu := logGammaTails(a, x)
	bl, bu := logBetaTails(a, g.Const(2), x, ad.Sub(g.Const(1), x))
	for _, c := range []struct {
		low, up      Node
		x            float64
		wantL, wantU float64
	}{{gl, gu, 0, -inf, 0}, {gl, gu, inf, 0, -inf}, {gl, gu, -1, -inf, 0}, {bl, bu, 0, -inf, 0}, {bl, bu, 1, 0, -inf}} {
		grad := ad.Grad(ad.Add(c.low, c.up), a, x)
		v := ad.Eval(map[string][]float64{"a": {1.5}, "x": {c.x}}, c.low, c.up, grad[0], grad[1])
		if v[0][0] != c.wantL || v[1][0] != c.wantU || v[2][0] != 0 || v[3][0] != 0 {
			t.Errorf("at %g: %v", c.x, v)
		}
	}
}

// TestFewUpper compares log Q(a, x) and its derivatives for small a and x with mpmath at 120 digits, within 2e-12.
// There 1 − P(a, x) would lose all digits.
func TestFewUpper(t *testing.T) {
	for _, c := range [][5]float64{
		{1e-10, 0.5, -23.606073801932834, 10000000000.524104, -2.1670570578319237},
		{1e-10, 0.999, -24.541105742734646, 10000000001.022458, -1.6774173404087542},
		{1e-06, 1e-05, -11.42348147331349, 999994.60735747709, -9144.2033569041312},
		{1e-300, 0.2, -690.57450681890178, 9.9999999999999997e+299, -3.3481797271209508},
		{0.01, 1e-100, -0.10599477548033368, 25.683885077850634, -1.1181606778644548e+97},
		{0.24, 0.9, -2.5851801715352087, 4.8087319107723846, -1.5435346596955595},
		{0.1, 0.3, -2.3898654850380819, 10.060747895832316, -2.5111187154078989},
		{0.001, 1e-300, -0.6961039435002198, 694.28751125682814, -1.0059222769504548e+297},
	} {
		g := ad.New()
		a, x := g.Input("a"), g.Input("x")
		_, upper := logGammaTails(a, x)
		got := ad.Eval(map[string][]float64{"a": c[:1], "x": c[1:2]}, upper, ad.Grad(upper, a)[0], ad.Grad(upper, x)[0])
		for i, v := range got {
			if want := c[2+i]; !near(v[0], want, 2e-12, 0) {
				t.Errorf("Q(%g, %g), derivative %d: %.17g, want %.17g", c[0], c[1], i, v[0], want)
			}
		}
	}
}
