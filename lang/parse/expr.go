package parse

import (
	"strconv"
	"strings"

	"ppl/lang/ast"
	"ppl/lang/diag"
)

func (p *parser) optionalExpr(e *expr) ast.Expr {
	if e == nil {
		return nil
	}
	return p.expr(e)
}

func (p *parser) optionalUnary(u *unary) ast.Expr {
	if u == nil {
		return nil
	}
	return p.unary(u)
}

func (p *parser) expr(e *expr) ast.Expr {
	x := p.choice(e.Choice)
	for _, c := range e.Pipes {
		to := p.callee(c)
		x = &ast.Pipe{Place: join(x, to), X: x, To: to}
	}
	return x
}

// choice builds nested conditions, if ? then : if ? then : else, from the right.
func (p *parser) choice(c *choice) ast.Expr {
	conditions := []ast.Expr{p.binary(c.If)}
	for _, b := range c.Branches {
		conditions = append(conditions, p.binary(b.Else))
	}
	last := len(conditions) - 1
	x := conditions[last]
	for i := last - 1; i >= 0; i-- {
		x = &ast.Cond{Place: join(conditions[i], x), If: conditions[i], Then: p.expr(c.Branches[i].Then), Else: x}
	}
	return x
}

// binary applies operator precedence to the flat list of operators and operands. An operator stays on the stack while
// the operators after it bind more tightly. All are left-associative.
func (p *parser) binary(b *binary) ast.Expr {
	operands, waiting := []ast.Expr{p.unary(b.First)}, []leaf(nil)
	reduce := func(upTo int) {
		for len(waiting) > 0 && precedence(waiting[len(waiting)-1].Value) >= upTo {
			n, op := len(operands), waiting[len(waiting)-1]
			waiting = waiting[:len(waiting)-1]
			operands = append(operands[:n-2], p.infix(op, operands[n-2], operands[n-1]))
		}
	}
	for _, in := range b.Rest {
		reduce(precedence(in.Op.Value))
		waiting, operands = append(waiting, in.Op), append(operands, p.unary(in.Y))
	}
	reduce(1)
	return operands[0]
}

func (p *parser) infix(op leaf, x, y ast.Expr) ast.Expr {
	if left, ok := x.(*ast.Binary); ok && precedence(op.Value) == comparison && precedence(left.Op) == comparison {
		p.diags.Errorf(diag.Syntax, p.spanOf(op), "comparisons cannot be chained").
			Related(left.OpAt, "the comparison before").Help("write `a < b && b < c`")
	}
	return &ast.Binary{Place: join(x, y), Op: op.Value, OpAt: p.spanOf(op), X: x, Y: y}
}

// unary builds powers from the right: -x^-y^z is -(x^(-(y^z))).
func (p *parser) unary(u *unary) ast.Expr {
	factors := []*signed{u.First}
	for _, q := range u.Powers {
		factors = append(factors, q.X)
	}
	last := len(u.Powers)
	x := p.sign(factors[last].Sign, p.primary(factors[last].X))
	for i := last - 1; i >= 0; i-- {
		base := p.primary(factors[i].X)
		hat := p.spanOf(u.Powers[i].Hat)
		x = p.sign(factors[i].Sign, &ast.Binary{Place: join(base, x), Op: "^", OpAt: hat, X: base, Y: x})
	}
	return x
}

func (p *parser) sign(sign *leaf, x ast.Expr) ast.Expr {
	if sign == nil {
		return x
	}
	return &ast.Unary{Place: ast.Place{At: p.spanOf(*sign).To(x.Span())}, Op: sign.Value, X: x}
}

func (p *parser) primary(q *primary) ast.Expr {
	at := p.placeOf(q.node)
	switch {
	case q.Number != nil:
		return p.number(*q.Number)
	case q.String != nil:
		return p.string(*q.String)
	case q.Name != nil:
		return p.postfixes(p.nameOf(*q.Name), q.Postfix)
	}
	at.At.End = end(p.one(q.Tokens[len(q.Tokens)-1-width(q.Postfix)]))
	if q.Paren != nil {
		return p.postfixes(&ast.Paren{Place: at, X: p.expr(q.Paren)}, q.Postfix)
	}
	return p.postfixes(p.list(at, q.List), q.Postfix)
}

func width(ps []*postfix) int {
	n := 0
	for _, q := range ps {
		n += len(q.Tokens)
	}
	return n
}

func (p *parser) optionalNumber(l *leaf) *ast.Number {
	if l == nil {
		return nil
	}
	return p.number(*l)
}

func (p *parser) number(l leaf) *ast.Number {
	t := p.one(l)
	value, err := strconv.ParseFloat(t.Value, 64)
	if err != nil {
		panic("internal error: the scanner let " + t.Value + " pass")
	}
	return &ast.Number{
		Place: ast.Place{At: spanOf(p.src, t)}, Text: t.Value, Value: value, IsInt: !strings.ContainsAny(t.Value,
			".eE"),
	}
}

func (p *parser) list(at ast.Place, a *args) ast.Expr {
	switch {
	case a == nil:
		return &ast.List{Place: at}
	case a.Body != nil:
		return &ast.Comprehension{Place: at, Binders: each(a.Binders, p.binder), Body: p.expr(a.Body)}
	}
	l := &ast.List{Place: at}
	for _, item := range a.Args {
		if item.Name != nil {
			p.diags.Errorf(diag.Syntax, p.spanOf(item.Name.Name), "the items of a list cannot have names")
		}
		l.Items = append(l.Items, p.expr(item.Value))
	}
	return l
}

func (p *parser) nameOf(l leaf) *ast.Name {
	t := p.one(l)
	return &ast.Name{Place: ast.Place{At: spanOf(p.src, t)}, Name: t.Value}
}

func (p *parser) callee(c *callee) ast.Expr {
	x := p.postfixes(p.nameOf(c.Name), c.Postfix)
	if index, isIndex := x.(*ast.Index); isIndex {
		e := p.diags.Errorf(diag.Syntax, x.Span(), "expected a name or a call, found a subscript")
		_, ofCall := index.X.(*ast.Call)
		switch {
		case ofCall && len(index.Subs) == 2:
			e.Help("bounds are written as a range: `Normal(0, 1) in 0..inf`")
		case ofCall:
			e.Help("write the axis on the left: `…[%s] ~ %s`", index.Subs[0].Span().Text(), index.X.Span().Text())
		default:
			e.Help("a function of a family needs arguments: `f[g](x)`")
		}
	}
	return x
}

func (p *parser) postfixes(x ast.Expr, ps []*postfix) ast.Expr {
	for _, q := range ps {
		at := ast.Place{At: x.Span().To(p.at(p.written(q.Tokens)))}
		switch {
		case q.Member != nil:
			x = &ast.Member{Place: at, X: x, Name: p.ident(q.Member.Name)}
		case q.Call != nil:
			x = &ast.Call{Place: at, Fun: x, Args: p.args(q.Args)}
		default:
			x = &ast.Index{Place: at, X: x, Subs: each(q.Subs, p.set)}
		}
	}
	return x
}

// args converts the arguments of a call. Arguments with binders, as in sum(i in N: e), become one comprehension without
// brackets.
func (p *parser) args(a *args) []*ast.Arg {
	switch {
	case a == nil:
		return nil
	case a.Body != nil:
		at := p.placeOf(a.node)
		c := &ast.Comprehension{Place: at, Binders: each(a.Binders, p.binder), Body: p.expr(a.Body), Bare: true}
		return []*ast.Arg{{Place: at, Value: c}}
	}
	return each(a.Args, p.arg)
}

func (p *parser) arg(a *arg) *ast.Arg {
	out := &ast.Arg{Place: p.placeOf(a.node), Value: p.expr(a.Value)}
	if a.Name != nil {
		out.Name = p.optionalIdent(&a.Name.Name)
	}
	return out
}

func (p *parser) binder(b *binder) *ast.Binder {
	return &ast.Binder{Place: p.placeOf(b.node), Index: p.ident(b.Index.Name), Set: p.set(b.Set)}
}

func join(x, y ast.Node) ast.Place { return ast.Place{At: x.Span().To(y.Span())} }
