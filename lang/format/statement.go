package format

import (
	"fmt"

	"ppl/lang/ast"
)

func (p *printer) statement(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.Import:
		p.WriteString("import " + s.Path.Text)
	case *ast.Data:
		p.data(s)
	case *ast.Infer:
		p.WriteString("infer ")
		list(p, s.Calls, func(e ast.Expr) { p.expr(e, false) })
	case *ast.Draw:
		p.heads(s.Generate, s.Heads)
		p.WriteString(" ~ ")
		p.draw(s)
	case *ast.Define:
		p.heads(s.Generate, s.Heads)
		p.WriteString(" = ")
		p.define(s)
	case *ast.Factor:
		p.WriteString("factor")
		if len(s.Slots) > 0 {
			p.WriteByte('[')
			list(p, s.Slots, p.slot)
			p.WriteString("]:")
		}
		p.after(" ", s.Value)
	case *ast.Event:
		p.WriteString("at")
		if len(s.Slots) > 0 {
			p.WriteByte('[')
			list(p, s.Slots, p.slot)
			p.WriteByte(']')
		}
		p.WriteString(" " + s.Time.Name + " = ")
		p.expr(s.When, false)
		p.WriteString(": ")
		p.expr(s.Target, false)
		p.after(" += ", s.Amount)
	default:
		panic(fmt.Sprintf("internal error: statement %T", s))
	}
}

func (p *printer) data(d *ast.Data) {
	p.WriteString("data ")
	list(p, d.Decls, p.decl)
	if d.From != nil {
		p.WriteString(" from " + d.From.Text)
		p.strings(" by ", d.By)
		p.strings(" columns ", d.Columns)
		if len(d.Missing) > 0 {
			p.WriteString(" missing ")
			list(p, d.Missing, func(e ast.Expr) { p.expr(e, false) })
		}
	}
	if d.Complete {
		p.WriteString(" complete")
	}
	if d.HeldOut != nil {
		p.WriteString(" holdout " + d.HeldOut.Text)
	}
	p.seed(d.Seed)
}

// strings prints a clause with a list of texts, unless the list is empty.
func (p *printer) strings(clause string, list []*ast.String) {
	for i, s := range list {
		if i > 0 {
			clause = ", "
		}
		p.WriteString(clause + s.Text)
	}
}

func (p *printer) seed(n *ast.Number) {
	if n != nil {
		p.WriteString(" seed " + n.Text)
	}
}

func (p *printer) decl(d *ast.Decl) {
	p.WriteString(d.Name.Name)
	p.axes(d.Sets)
	if d.Type != nil {
		p.WriteString(": " + d.Type.Name)
	}
	if d.TypeArg != nil {
		p.WriteByte('(')
		p.set(d.TypeArg)
		p.WriteByte(')')
	}
	p.strings(" order ", d.Order)
	p.bounds(" in ", d.Bounds)
	if d.Permute != nil {
		p.WriteString(" permute " + d.Permute.Text)
	}
	p.seed(d.Seed)
	if d.Missing {
		p.WriteString(" missing")
	}
	p.after(" ", d.MissingCode)
	p.strings(" ", d.MissingTexts)
	p.after(" = ", d.Value)
}

func (p *printer) draw(d *ast.Draw) {
	if d.Block != nil {
		p.block(d.Block)
		return
	}
	p.expr(d.Dist.Base, false)
	for _, flag := range []struct {
		set  bool
		word string
	}{{d.Dist.Ordered, " ordered"}, {d.Dist.ZeroSum, " zerosum"}, {d.Dist.NonCentered, " noncentered"}} {
		if flag.set {
			p.WriteString(flag.word)
		}
	}
	p.bounds(" in ", d.Dist.In)
	p.bounds(" censored ", d.Dist.Censored)
	p.after(" upto ", d.Dist.UpTo)
	p.after(" rounded ", d.Dist.Rounded)
	p.after(" weight ", d.Dist.Weight)
}

func (p *printer) define(d *ast.Define) {
	if d.Block != nil {
		p.block(d.Block)
		return
	}
	p.expr(d.Value, false)
}

func (p *printer) heads(generate bool, heads []*ast.Head) {
	if generate {
		p.WriteString("generate ")
	}
	list(p, heads, p.head)
}

func (p *printer) head(h *ast.Head) {
	p.WriteString(h.Name())
	if h.Prime {
		p.WriteByte('\'')
	}
	if len(h.Slots) > 0 {
		p.WriteByte('[')
		list(p, h.Slots, p.slot)
		p.WriteByte(']')
	}
	if h.HasParams {
		p.WriteByte('(')
		list(p, h.Params, p.param)
		p.WriteByte(')')
	}
}

func (p *printer) slot(s *ast.Slot) {
	if s.Index != nil {
		p.WriteString(s.Index.Name + " in ")
	}
	p.set(s.Set)
}

func (p *printer) param(q *ast.Param) {
	if q.Name == nil {
		p.expr(q.Expr, false)
		return
	}
	p.WriteString(q.Name.Name)
	p.axes(q.Sets)
	p.after(" = ", q.Default)
}

// axes prints [N, D], or nothing for an empty list.
func (p *printer) axes(sets []*ast.Set) {
	if len(sets) > 0 {
		p.WriteByte('[')
		list(p, sets, p.set)
		p.WriteByte(']')
	}
}

func (p *printer) set(s *ast.Set) {
	p.expr(s.Lo, true)
	if s.Hi != nil {
		p.WriteString("..")
		p.expr(s.Hi, true)
	}
}

func (p *printer) bounds(word string, r *ast.Range) {
	if r != nil {
		p.WriteString(word)
		p.expr(r.Lo, true)
		p.WriteString("..")
		p.expr(r.Hi, true)
	}
}

// after prints a word and an expression, unless the expression is absent.
func (p *printer) after(word string, e ast.Expr) {
	if e != nil {
		p.WriteString(word)
		p.expr(e, false)
	}
}

// list prints items separated by commas.
func list[T any](p *printer, items []T, print func(T)) {
	for i, item := range items {
		if i > 0 {
			p.WriteString(", ")
		}
		print(item)
	}
}
