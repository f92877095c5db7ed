package stdlib

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// TestRanges checks for random boxes that values of operators and functions at random points are in the range of the
// box, and that they are integers or positive if the range is.
func TestRanges(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	ops := map[string]func(x, y float64) float64{
		"+": func(x, y float64) float64 { return x + y }, "-": func(x, y float64) float64 { return x - y },
		"*": func(x, y float64) float64 { return x * y }, "/": func(x, y float64) float64 { return x / y },
		"^": math.Pow, "%": func(x, y float64) float64 { return x - y*math.Floor(x/y) },
		"<": func(x, y float64) float64 { return number01(x < y) },
	}
	for range 3000 {
		a, x := box(r)
		b, y := box(r)
		c, z := box(r)
		for op, f := range ops {
			check(t, fmt.Sprint(a, op, b), RangeOf(op, a, b), f(x, y))
		}
		check(t, fmt.Sprint("-", a), RangeOf("-", a), -x)
		for name, f := range Funcs() {
			o, _ := oracleOf(name)
			v := callOracle(o.f, []float64{x, y, z})
			check(t, fmt.Sprint(name, a, b, c), f.Range([]Range{a, b, c}[:len(f.Args)]), v)
		}
	}
}

// box returns a random range, integer or real, often with an end at 0 or at infinity, and a point in it.
func box(r *rand.Rand) (Range, float64) {
	lo, width := math.Round(4*r.NormFloat64())/2, float64(r.IntN(5))/2
	b := Range{Lo: lo, Hi: lo + width}
	switch r.IntN(6) {
	case 0:
		b = Range{Lo: 0, Hi: inf}
	case 1:
		b = Range{Lo: tiny, Hi: inf}
	case 2:
		b = Range{Lo: 0, Hi: 1}
	case 3:
		b = Range{Lo: math.Ceil(lo), Hi: math.Ceil(lo) + float64(r.IntN(4)), Int: true}
	}
	x := b.Lo + r.Float64()*(math.Min(b.Hi, b.Lo+10)-b.Lo)
	if b.Int {
		x = math.Round(x)
	}
	return b, x
}

func check(t *testing.T, what string, r Range, v float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) { // outside the function's domain
		return
	}
	slack := 1e-12 * (1 + math.Abs(v))
	if v < r.Lo-slack || v > r.Hi+slack || r.Int && v != math.Trunc(v) || r.Lo > 0 && v < 0 {
		t.Errorf("%s: %g is not in %v", what, v, r)
	}
}

// TestPositive checks which operations keep a range strictly positive.
func TestPositive(t *testing.T) {
	pos, any := Range{Lo: tiny, Hi: inf}, Everything()
	exp := Funcs()["exp"].Range([]Range{any})
	for what, r := range map[string]Range{
		"exp": exp, "exp*exp": RangeOf("*", exp, exp), "exp/exp": RangeOf("/", exp, exp),
		"exp+exp":  RangeOf("+", exp, exp),
		"sqrt exp": Funcs()["sqrt"].Range([]Range{exp}), "exp^x": RangeOf("^", exp, any), "1/exp": RangeOf("/",
			Point(1), exp),
		"1+x^2": RangeOf("+", Point(1), RangeOf("^", any, Point(2))), "sigmoid": Funcs()["sigmoid"].Range([]Range{any}),
		"abs -3..-1": absRange([]Range{{Lo: -3, Hi: -1}}), "sum of exp": Reductions()["sum"].Range(pos, -1),
	} {
		if !r.Positive() {
			t.Errorf("%s is %v, not positive", what, r)
		}
	}
	for what, r := range map[string]Range{
		"x^2": RangeOf("^", any, Point(2)), "exp-exp": RangeOf("-", exp, exp), "x": any,
		"relu":        Funcs()["relu"].Range([]Range{any}),
		"sum of none": Reductions()["sum"].Range(pos, 0),
	} {
		if r.Positive() {
			t.Errorf("%s is %v, taken for positive", what, r)
		}
	}
	if r := RangeOf("-", Point(1), Range{Lo: 0, Hi: 1}); r.Lo != 0 || r.Hi != 1 {
		t.Errorf("1 - p is in %v", r)
	}
}
