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

// eval is both tails and their derivatives.
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

// worstOf is the largest relative error over the rows; those below the least normal number are not compared.
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

// TestIncomplete: both tails and all derivatives within 3e-12 of their size; arguments moved by 1e-10 are not.
func TestIncomplete(t *testing.T) {
	rows := readIncomplete(t)
	if len(rows) < 200 {
		t.Fatalf("%d rows", len(rows))
	}
	if e, at := worstOf(rows); !(e < 3e-12) {
		t.Errorf("%s%v is %.2g off", at.name, at.args, e)
	}
	for i := range rows {
		rows[i].args[0] *= 1 + 1e-10
	}
	if e, _ := worstOf(rows); e < 3e-12 {
		t.Errorf("moved arguments are not noticed: %.2g", e)
	}
}

// TestIncompleteEnds: at the ends of the range one tail is 0 and the other 1, with gradient 0.
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
