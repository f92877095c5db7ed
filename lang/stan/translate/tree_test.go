package translate

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// Trees are written with the necessary parentheses: parsed again, they have the same value.
func TestTreesAreWritten(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	for range 4000 {
		n := randomTree(r, 5)
		text := n.key()
		if n.size != len(text) {
			t.Errorf("the size of %s is %d, not %d", text, n.size, len(text))
		}
		got, want := valueOf(t, parsed(text)), valueOf(t, n)
		if math.Abs(got-want) > 1e-9*math.Max(1, math.Abs(want)) && !(math.IsNaN(got) && math.IsNaN(want)) &&
			!math.IsInf(want, 0) {
			t.Errorf("%s is %g, not %g", text, got, want)
		}
	}
}

func randomTree(r *rand.Rand, depth int) *node {
	if depth == 0 || r.IntN(5) == 0 {
		return literalOf(strconv.Itoa(r.IntN(7) - 3))
	}
	kid := func() *node { return randomTree(r, depth-1) }
	switch r.IntN(8) {
	case 0:
		return kid().negated()
	case 1:
		return conditionOf(binaryOf(">", kid(), kid()), kid(), kid())
	case 2:
		return callOf("abs", kid())
	case 3:
		return binaryOf("^", kid(), literalOf("2"))
	}
	return binaryOf([]string{"+", "-", "*", "/"}[r.IntN(4)], kid(), kid())
}

func valueOf(t *testing.T, n *node) float64 {
	kid := func(i int) float64 { return valueOf(t, n.kids[i]) }
	switch n.kind {
	case kindLiteral:
		v, err := strconv.ParseFloat(n.text, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	case kindUnary:
		return -kid(0)
	case kindCall:
		return math.Abs(kid(0))
	case kindCondition:
		if kid(0) != 0 {
			return kid(1)
		}
		return kid(2)
	}
	switch n.text {
	case "+":
		return kid(0) + kid(1)
	case "-":
		return kid(0) - kid(1)
	case "*":
		return kid(0) * kid(1)
	case "/":
		return kid(0) / kid(1)
	case "^":
		return math.Pow(kid(0), kid(1))
	}
	return truth(compare(n.text, kid(0), kid(1)))
}

// An index that replaces another one is not captured by a sum over an index of the same name, and trees that differ
// only in bound indices are equal.
func TestIndices(t *testing.T) {
	x := &executor{names: newNames(), templates: templates{}}
	outer, inner := x.freshPlate("i", constant(1), constant(3)), x.freshPlate("i", constant(1), constant(4))
	other := x.freshPlate("j", constant(1), constant(4))
	total := func(p *plate) term {
		body := multiply(termOf(element("a", []term{p.index()}), p.index()), outer.index().real())
		return bound("sum", []*plate{p}, body)
	}
	if !total(inner).node.equalTo(total(other).node) {
		t.Errorf("%q and %q differ", total(inner).node.key(), total(other).node.key())
	}
	moved := total(inner).substitute(outer, add(outer.index(), constant(2)))
	it := item{name: "y", slots: slotsOf([]*plate{outer}), body: moved.node}
	if got, want := x.line(it), "y[i in 1..3] = sum(j in 1..4: a[j] * (i + 2))"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Each text in the tables is an expression.
func TestTemplates(t *testing.T) {
	all := templates{}
	for name, d := range distributions {
		if n := all.fill(d.text, nil); n.kind != kindCall {
			t.Errorf("%s is not a call", name)
		}
	}
	for name, f := range numerics {
		if n := all.fill(f.text, nil); !n.has(func(k *node) bool { return k.kind == kindName }) {
			t.Errorf("%s has no argument", name)
		}
	}
}
