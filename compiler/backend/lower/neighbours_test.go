package lower_test

import (
	"strings"
	"testing"

	ad "ppl/autodiff"
	"ppl/compiler/backend/lower"
)

// TestNeighboursOfNeighbours checks that the code of nested sums over neighbours grows linearly with the depth of
// nesting, not as a power of three.
func TestNeighboursOfNeighbours(t *testing.T) {
	lines := func(levels int) int {
		const n = 100
		g := ad.New()
		theta := g.Input("theta", n)
		x := theta
		for range levels {
			k := x.Shape()[0] - 2
			window := func(lo int) ad.Node { return ad.Slice(x, []int{lo}, []int{lo + k}) }
			x = ad.Add(window(0), ad.Add(ad.Tanh(window(1)), window(2)))
		}
		sum := ad.SumAll(x)
		p, err := lower.Program([]lower.Entry{{Name: "density", Assign: []lower.Assign{
			{Name: "value", Value: sum}, {Name: "gradient", Value: ad.Grad(sum, theta)[0]}}}})
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(p.String(), "\n")
	}
	if few, many := lines(10), lines(30); many > 4*few {
		t.Errorf("10 levels have %d lines of IR, 30 have %d", few, many)
	}
}
