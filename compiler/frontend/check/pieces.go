package check

import (
	"ppl/compiler/frontend/model"
	"ppl/compiler/frontend/pieces"
	"ppl/compiler/frontend/scope"
	"ppl/compiler/frontend/typing"
	"ppl/lang/diag"
	"ppl/stdlib"
)

func (c *checker) headOf(a *scope.Array, d scope.Define) scope.HeadSlots {
	h := scope.HeadSlots{Scope: scope.New(a.Scope)}
	h.Scope.Of = a
	h.Slots, h.Bare, _ = c.slots(h.Scope, d.Head, 0)
	return h
}

func (c *checker) definePiece(a *scope.Array, k int) bool {
	d, h := a.Defs[k], a.Heads[k]
	var x model.Expr
	if d.Stmt.Block != nil {
		x = c.block(h.Scope, d.Stmt.Block)
	} else {
		x = c.expr(h.Scope, d.Stmt.Value)
	}
	if typing.IsPoison(x) || typing.HasPoison(h.Slots) {
		return false
	}
	if len(h.Bare) > 0 {
		var ok bool
		if x, ok = c.absorb(x, 0, h.Bare, a.Name); !ok {
			return false
		}
	}
	if !a.Recurs {
		p := h.Piece(d)
		p.Value = x
		c.pieces().Add(a, p, x.Info().Type.Axes, x.Info().Type)
		return true
	}
	if len(a.Pieces) < len(a.Defs) { // one of its statements has an error
		return false
	}
	p := a.Pieces[k]
	p.Value = x
	if n := len(p.Slots) + len(x.Info().Type.Axes); n != len(a.Type.Axes) {
		c.Errorf(diag.AxisCount, p.At, "`%s` depends on its earlier elements, so all its statements must have the "+
			"same number of axes: here there are %d, elsewhere %d", a.Name, n, len(a.Type.Axes)).
			Help("give every axis an index: `%s[t in …, k in …] = …`", a.Name)
		return false
	}
	return true
}

// joinedParts returns the axes of a trajectory that several statements define. It returns false after an error.
func (c *checker) joinedParts(s *scope.Scope, name string, parts []scope.Define) ([]*model.Set, bool) {
	a := &scope.Array{Array: &model.Array{Name: name, At: parts[0].Head.Span()}}
	for _, d := range parts {
		slots, _, _ := c.slots(scope.New(s), d.Head, 0)
		if typing.HasPoison(slots) {
			return nil, false
		}
		c.pieces().Add(a, &model.Piece{At: d.Head.Span(), Slots: slots}, nil, model.Type{Range: stdlib.Everything()})
	}
	known := c.Diags.Len()
	c.pieces().Join(a)
	return a.Type.Axes, c.Diags.Len() == known
}

// pieces returns a Joiner for the arrays of the file.
func (c *checker) pieces() pieces.Joiner { return pieces.Joiner{To: &c.Context, Sizes: c.sizes} }
