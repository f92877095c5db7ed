package pieces

import (
	"math/rand/v2"
	"testing"

	"ppl/compiler/frontend/model"
	"ppl/compiler/frontend/scope"
	"ppl/compiler/frontend/typing"
	"ppl/lang/ast"
	"ppl/lang/source"
)

// interval returns a piece of a vector with the elements lo..hi.
func interval(lo, hi int) *model.Piece {
	at := ast.Place{At: source.Span{File: source.New("m.ppl", "x[1..2] = 0"), End: 7}}
	set := model.NewSet("piece", typing.Number(float64(lo), at), typing.Number(float64(hi), at))
	return &model.Piece{At: at.At, Slots: []model.Slot{{Index: &model.Index{Set: set}}}}
}

// joined returns the axis of intervals, and whether they join.
func joined(intervals [][2]int) (axis *model.Set, ok bool) {
	ctx := &typing.Context{Model: &model.Model{}}
	j := Joiner{To: ctx}
	a := &scope.Array{Array: &model.Array{Name: "x"}}
	for _, i := range intervals {
		j.Add(a, interval(i[0], i[1]), nil, model.Type{})
	}
	j.Join(a)
	return a.Type.Axes[0], !ctx.Diags.HasErrors()
}

// The parts of an interval join to the interval in every order. They do not join if a part in the middle is missing, if
// a part occurs twice, or if a part is too long.
func TestCutIntervals(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		lo := r.IntN(5)
		var parts [][2]int
		at := lo
		for range 3 + r.IntN(4) {
			hi := at + r.IntN(3)
			parts = append(parts, [2]int{at, hi})
			at = hi + 1
		}
		holed := append(append([][2]int{}, parts[:1]...), parts[2:]...)
		doubled := append(append([][2]int{}, parts...), parts[r.IntN(len(parts))])
		longer := append([][2]int{}, parts...)
		longer[1][1]++
		r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		axis, ok := joined(parts)
		if !ok || axis.Lo.(*model.Num).Value != float64(lo) || axis.Hi.(*model.Num).Value != float64(at-1) {
			t.Fatalf("%v join to %v..%v, %v; want %d..%d", parts, axis.Lo, axis.Hi, ok, lo, at-1)
		}
		for _, wrong := range [][][2]int{holed, doubled, longer} {
			if _, ok := joined(wrong); ok {
				t.Fatalf("%v join", wrong)
			}
		}
	}
}
