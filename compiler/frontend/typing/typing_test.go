package typing

import (
	"testing"

	"ppl/compiler/frontend/model"
	"ppl/lang/ast"
	"ppl/lang/source"
	"ppl/stdlib"
)

// at returns a position in a file.
func at() ast.Place { return ast.Place{At: source.Span{File: source.New("m.ppl", "x + y"), End: 5}} }

// array returns an array with one axis 1..n for each size n.
func array(sizes ...float64) model.Expr {
	t := model.Type{Range: stdlib.Everything()}
	for _, n := range sizes {
		t.Axes = append(t.Axes, model.NewSet("1.."+model.NumberText(n), Number(1, at()), Number(n, at())))
	}
	return &model.Ref{Array: &model.Array{}, Fact: model.Fact{At: at().At, Type: t}}
}

// The result of an operator has the axes of the operand with most axes, in either order. Other axes are errors.
func TestOperatorAxes(t *testing.T) {
	for _, c := range []struct {
		x, y []float64
		want int // axes; −1 if the operands are refused
	}{
		{nil, nil, 0}, {[]float64{3}, nil, 1}, {[]float64{3}, []float64{3}, 1}, {[]float64{3, 4}, []float64{4}, 2},
		{[]float64{3}, []float64{4}, -1}, {[]float64{3, 3}, []float64{3}, -1},
	} {
		for _, args := range [][2][]float64{{c.x, c.y}, {c.y, c.x}} {
			var ctx Context
			ctx.Model = &model.Model{}
			x := ctx.Operator(at(), "+", at().At, array(args[0]...), array(args[1]...))
			switch refused := IsPoison(x); {
			case refused != ctx.Diags.HasErrors():
				t.Errorf("%v + %v: refused %v with %d diagnostics", args[0], args[1], refused, ctx.Diags.Len())
			case refused != (c.want < 0), !refused && len(x.Info().Type.Axes) != c.want:
				t.Errorf("%v + %v has %s, refused %v", args[0], args[1], model.HaveAxes(x.Info().Type.Axes), refused)
			}
		}
	}
}

// Expressions that read poison become poison without a diagnostic.
func TestPoisonIsSilent(t *testing.T) {
	var ctx Context
	ctx.Model = &model.Model{}
	bad := Poison(at())
	for _, x := range []model.Expr{ctx.Operator(at(), "*", at().At, array(3), bad),
		ctx.Choose(&ast.Cond{Place: at()}, bad, array(3), array(4)), ctx.Matmul(&ast.Binary{Place: at()}, bad,
			array(3))} {
		if !IsPoison(x) || ctx.Diags.Len() > 0 {
			t.Errorf("%T of poison is not poison, or %d mistakes are reported", x, ctx.Diags.Len())
		}
	}
}

// A definition depends on parameters if one of its pieces does, also if two definitions read each other.
func TestSettle(t *testing.T) {
	data, drawn := &model.Array{Role: model.Data}, &model.Array{Role: model.Parameter}
	ref := func(a *model.Array) model.Expr { return &model.Ref{Array: a} }
	a, b, c := &model.Array{Role: model.Definition}, &model.Array{Role: model.Definition},
		&model.Array{Role: model.Definition}
	a.Pieces = []*model.Piece{{Value: ref(data)}, {Value: ref(b)}}
	b.Pieces = []*model.Piece{{Value: ref(a)}, {Value: ref(drawn)}}
	c.Pieces = []*model.Piece{{Value: ref(data)}, {Value: ref(c)}}
	SettleAll(&model.Model{Arrays: []*model.Array{data, drawn, a, b, c}})
	for _, x := range []struct {
		name string
		of   *model.Array
		want bool
	}{{"a", a, false}, {"b", b, false}, {"c", c, true}} {
		if got := x.of.Pieces[1].Value.Info().Static; got != x.want {
			t.Errorf("the second piece of %s depends on data only: %v, want %v", x.name, got, x.want)
		}
	}
}
