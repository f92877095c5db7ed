package parse

import (
	"slices"
	"strconv"

	"ppl/lang/ast"
	"ppl/lang/diag"
)

// statement converts a parsed statement. It returns nil if the conversion finds an error in the statement or in a block
// in it.
func (p *parser) statement(s *statement) ast.Stmt {
	before := p.diags.Len() + p.dropped
	stmt := p.convert(s)
	if p.diags.Len()+p.dropped > before {
		return nil
	}
	return stmt
}

func (p *parser) convert(s *statement) ast.Stmt {
	at := p.placeOf(s.node)
	switch {
	case s.Import != nil:
		return &ast.Import{Place: at, Path: p.string(*s.Import)}
	case s.Data != nil:
		return &ast.Data{Place: at, Decls: each(s.Data.Decls, p.decl), From: p.optionalString(s.Data.From),
			By:       each(s.Data.By, p.column),
			Columns:  each(s.Data.Columns, func(q *quoted) *ast.String { return p.string(q.Text) }),
			Missing:  each(s.Data.Missing, p.code),
			Complete: s.Data.Complete != nil, HeldOut: p.optionalNumber(s.Data.HeldOut),
			Seed: p.optionalNumber(s.Data.Seed)}
	case s.Infer != nil:
		return &ast.Infer{Place: at, Calls: each(s.Infer, p.callee)}
	case s.Factor != nil:
		return &ast.Factor{Place: at, Slots: each(s.Factor.Slots, p.slot), Value: p.expr(s.Factor.Value)}
	case s.Event != nil:
		return &ast.Event{Place: at, Slots: each(s.Event.Slots, p.slot), Time: p.ident(s.Event.Time.Name),
			When: p.expr(s.Event.When), Target: p.primary(s.Event.Target), Amount: p.expr(s.Event.Amount)}
	}
	e := s.Equation
	heads := each(e.Heads, p.head)
	switch {
	case e.Random != nil:
		d := &ast.Draw{Place: at, Generate: e.Generate != nil, Heads: heads}
		d.Dist, d.Block = p.random(e.Random)
		return d
	case e.Body != nil:
		return &ast.Define{Place: at, Generate: e.Generate != nil, Heads: heads, Block: p.block(*e.Body)}
	}
	return &ast.Define{Place: at, Generate: e.Generate != nil, Heads: heads, Value: p.expr(e.Value)}
}

func (p *parser) decl(d *decl) *ast.Decl {
	return &ast.Decl{
		Place: p.placeOf(d.node), Name: p.ident(d.Name), Sets: each(d.Sets, p.set), Type: p.optionalIdent(d.Type),
		TypeArg: p.optionalSet(d.TypeArg), Bounds: p.optionalSpan(d.Bounds),
		Order:   each(d.Order, func(q *quoted) *ast.String { return p.string(q.Text) }),
		Permute: p.optionalNumber(d.Permute), Seed: p.optionalNumber(d.Seed),
		MissingTexts: each(d.Texts, func(q *quoted) *ast.String { return p.string(q.Text) }),
		Missing:      d.Missing != nil, MissingCode: p.optionalUnary(d.Code), Value: p.optionalExpr(d.Value),
	}
}

func (p *parser) head(h *head) *ast.Head {
	path := []ast.Ident{p.ident(h.Name)}
	for _, part := range h.Path {
		path = append(path, p.ident(part.Name))
	}
	return &ast.Head{
		Place: p.placeOf(h.node), Path: path, Prime: h.Prime != nil, Slots: each(h.Slots, p.slot),
		Params: each(h.Params, p.param), HasParams: h.Open != nil,
	}
}

func (p *parser) slot(s *slot) *ast.Slot {
	slot := &ast.Slot{Place: p.placeOf(s.node), Set: p.set(s.Set)}
	if s.Index != nil {
		slot.Index = p.optionalIdent(&s.Index.Name)
	}
	return slot
}

func (p *parser) param(q *param) *ast.Param {
	param := &ast.Param{
		Place: p.placeOf(q.node), Sets: each(q.Sets, p.set), Default: p.optionalExpr(q.Default),
		Expr: p.optionalExpr(q.Expr),
	}
	if q.Name != nil {
		param.Name = p.optionalIdent(&q.Name.Name)
	}
	return param
}

func (p *parser) set(s *set) *ast.Set {
	return &ast.Set{Place: p.placeOf(s.node), Lo: p.expr(s.Lo), Hi: p.optionalExpr(s.Hi)}
}

func (p *parser) span(s *span) *ast.Range {
	return &ast.Range{Place: p.placeOf(s.node), Lo: p.expr(s.Lo), Hi: p.expr(s.Hi)}
}

// random converts a distribution with its modifiers, or a template's block.
func (p *parser) random(r *random) (*ast.Distribution, *ast.Block) {
	if r.Body != nil {
		return nil, p.block(*r.Body)
	}
	dist := &ast.Distribution{Place: p.placeOf(r.node), Base: p.callee(r.Dist)}
	given := map[string]token{}
	for _, m := range r.Modifiers {
		word := p.one(m.Tokens[0])
		if first, twice := given[word.Value]; twice {
			p.diags.Errorf(diag.Syntax, spanOf(p.src, word), "`%s` is given twice", word.Value).
				Related(spanOf(p.src, first), "first here")
		}
		given[word.Value] = word
		p.modify(dist, m)
	}
	return dist, nil
}

func (p *parser) modify(dist *ast.Distribution, m *modifier) {
	switch m.Tokens[0].Value {
	case "in":
		dist.In = p.span(m.In)
	case "censored":
		dist.Censored = p.span(m.Censored)
	case "weight":
		dist.Weight = p.expr(m.Weight)
	case "upto":
		dist.UpTo = p.expr(m.UpTo)
	case "rounded":
		dist.Rounded = p.expr(m.Rounded)
	case "ordered":
		dist.Ordered = true
	case "zerosum":
		dist.ZeroSum = true
	case "noncentered":
		dist.NonCentered = true
	}
}

// block parses the statements of a block, and reports an error if none of them is a return.
func (p *parser) block(l leaf) *ast.Block {
	t := p.one(l)
	cut, dropped := p.blocks[t.Offset], p.dropped
	b, lastParsed := p.statements(t)
	if (p.dropped == dropped || lastParsed) && !cut.returns() {
		p.diags.Errorf(diag.MissingReturn, spanOf(p.src, cut.close), "a block must end in `return`").
			Related(spanOf(p.src, cut.open), "the block opened here").Help("add `return` and the block's value as " +
			"its last line")
	}
	return b
}

// statements converts the statements of a block, and reports whether the last one could be parsed.
func (p *parser) statements(t token) (b *ast.Block, lastParsed bool) {
	b = &ast.Block{Place: ast.Place{At: spanOf(p.src, t)}}
	cut, outer := p.blocks[t.Offset], p.tokens
	defer func() { p.tokens = outer }()
	for i, piece := range cut.pieces {
		dropped := p.dropped
		s, ok := p.piece(piece)
		switch {
		case !ok:
		case s.Return == nil:
			if stmt := p.statement(s); stmt != nil {
				b.Stmts = append(b.Stmts, stmt)
			}
		case i+1 < len(cut.pieces) && cut.close.Value != "":
			p.diags.Errorf(diag.MissingReturn, p.spanOf(s.Tokens[0]), "a block must end in `return`, but statements "+
				"follow this one")
		default:
			b.Return = p.expr(s.Return)
		}
		lastParsed = p.dropped == dropped
	}
	return b, lastParsed
}

// returns reports whether the block contains a return. It returns true for an unclosed block, whose end is unknown.
func (b *block) returns() bool {
	isReturn := func(t token) bool { return t.Value == "return" }
	hasReturn := func(p piece) bool { return slices.ContainsFunc(p.tokens, isReturn) }
	return b.close.Value == "" || slices.ContainsFunc(b.pieces, hasReturn)
}

// Names and strings.

func (p *parser) ident(l leaf) ast.Ident {
	t := p.one(l)
	return ast.Ident{Place: ast.Place{At: spanOf(p.src, t)}, Name: t.Value}
}

func (p *parser) optionalIdent(l *leaf) *ast.Ident {
	if l == nil {
		return nil
	}
	id := p.ident(*l)
	return &id
}

func (p *parser) string(l leaf) *ast.String {
	t := p.one(l)
	value, err := strconv.Unquote(t.Value)
	if err != nil {
		panic("internal error: the scanner let " + t.Value + " pass")
	}
	return &ast.String{Place: ast.Place{At: spanOf(p.src, t)}, Text: t.Value, Value: value}
}

func (p *parser) code(c *code) ast.Expr {
	if c.Text != nil {
		return p.string(*c.Text)
	}
	return p.optionalUnary(c.Number)
}

func (p *parser) column(c *column) *ast.String {
	if u := p.one(c.Text); u.Type == name {
		return &ast.String{Place: ast.Place{At: spanOf(p.src, u)}, Text: u.Value, Value: u.Value}
	}
	return p.string(c.Text)
}

func (p *parser) optionalString(l *leaf) *ast.String {
	if l == nil {
		return nil
	}
	return p.string(*l)
}

func (p *parser) optionalSpan(s *span) *ast.Range {
	if s == nil {
		return nil
	}
	return p.span(s)
}

func (p *parser) optionalSet(s *set) *ast.Set {
	if s == nil {
		return nil
	}
	return p.set(s)
}

func each[A, B any](items []A, convert func(A) B) []B {
	var out []B
	for _, item := range items {
		out = append(out, convert(item))
	}
	return out
}
