package model

import (
	"testing"

	"ppl/lang/source"
)

func named(name string) Expr { return &SizeOf{Size: &Size{Name: name}} }

func number(v float64) Expr { return &Num{Value: v} }

func binary(op string, x, y Expr) Expr { return &Apply{Name: op, Args: []Expr{x, y}} }

// text returns an expression with the given source text that is not affine.
func text(s string) Expr {
	f := source.New("m.ppl", s)
	return &Apply{Name: "^", Fact: Fact{At: source.Span{File: f, Start: 0, End: len(s)}}}
}

// Affine forms of expressions are equal if the expressions have equal values for all sizes and indices.
func TestFormsAreEqualForEqualValues(t *testing.T) {
	t.Parallel()
	n, i := named("N"), &IndexVar{Index: &Index{Name: "i", ID: 3}}
	for _, c := range []struct {
		x, y Expr
		same bool
	}{
		{binary("+", n, number(1)), binary("+", number(1), n), true},
		{binary("-", binary("+", n, n), n), n, true},
		{binary("*", number(2), n), binary("+", n, n), true},
		{binary("-", n, n), number(0), true},
		{&SetSize{Set: &Set{Lo: number(2), Hi: n}}, binary("-", n, number(1)), true},
		{binary("-", i, number(1)), i, false},
		{n, named("M"), false},
		{i, &IndexVar{Index: &Index{Name: "i", ID: 4}}, false}, // another statement's i
		{binary("*", n, n), n, false},
		{text("N^2"), text("N^2"), true},
		{text("N^2"), text("N^3"), false},
		{nil, nil, true},
		{n, nil, false},
	} {
		if got := SameForm(c.x, c.y); got != c.same {
			t.Errorf("%v and %v: same form is %v, want %v", c.x, c.y, got, c.same)
		}
	}
}

func TestAnOffsetIsTheDistanceFromAnIndex(t *testing.T) {
	t.Parallel()
	i := &Index{Name: "t", ID: 1}
	back := Offset(binary("-", &IndexVar{Index: i}, number(2)), i)
	if !back.IsConst() || back.Const != -2 {
		t.Errorf("t - 2 lies at %s from t", back.Key())
	}
	if far := Offset(named("N"), i); far.IsConst() {
		t.Errorf("N lies at the constant %g from t", far.Const)
	}
}

func TestPartsOverlapWhereNumbersOrCommonEndsShowIt(t *testing.T) {
	t.Parallel()
	n := named("N")
	set := func(lo, hi Expr) *Set { return NewSet("", lo, hi) }
	for _, c := range []struct {
		s, t *Set
		want bool
	}{
		{set(number(1), number(3)), set(number(3), number(5)), true},
		{set(number(1), number(2)), set(number(3), number(5)), false},
		{set(number(1), n), set(number(1), named("M")), true},
		{set(number(2), n), Slot{At: number(1)}.Set(), false},
		{set(number(2), n), set(binary("+", n, number(1)), named("M")), false},
	} {
		if got := Overlap([]*Set{c.s}, []*Set{c.t}); got != c.want {
			t.Errorf("%s and %s: overlap is %v, want %v", c.s.Key, c.t.Key, got, c.want)
		}
	}
}
