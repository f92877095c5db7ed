package stan

import (
	"strconv"
	"strings"

	"ppl/lang/diag"
	"ppl/lang/source"
)

// A builder converts participle's parse tree to the tree of ast.go.
type builder struct {
	src   *source.File
	diags *diag.List
}

// at returns the place of a node. It ends with the node's last token, not where the next token begins.
func (b *builder) at(n node) Place {
	end := max(n.Pos.Offset, min(n.EndPos.Offset, len(b.src.Text)))
	return Place{source.Span{File: b.src, Start: n.Pos.Offset, End: b.lastToken(n.Pos.Offset, end)}}
}

// lastToken returns the end of the last token before an offset, skipping space and comments.
func (b *builder) lastToken(start, end int) int {
	trimmed := strings.TrimRight(b.src.Text[start:end], " \t\r\n")
	if !strings.Contains(trimmed, "/") && !strings.Contains(trimmed, "#") {
		return start + len(trimmed)
	}
	last := start
	for at := start; at < start+len(trimmed); {
		if n := commentEnd(trimmed[at-start:]); n > 0 {
			at += n
			continue
		}
		if !strings.ContainsRune(" \t\r\n", rune(trimmed[at-start])) {
			last = at + 1
		}
		at++
	}
	return last
}

func (b *builder) ident(t *nameTree) Ident { return Ident{b.at(t.node), t.Name} }

// order lists the blocks of a program in the required order.
var order = []string{"functions", "data", "transformed data", "parameters", "transformed parameters", "model",
	"generated quantities"}

func (b *builder) program(t *programTree) *Program {
	p := &Program{Source: b.src}
	before := -1
	for _, s := range t.Sections {
		name := s.name()
		for i, known := range order {
			switch {
			case known != name:
			case i == before:
				b.diags.Errorf(diag.DefinedTwice, b.head(s, name), "there are two blocks `%s`", name)
			case i < before:
				b.diags.Errorf(diag.Syntax, b.head(s, name),
					"the block `%s` must come before `%s`", name, order[before]).
					Help("the order of blocks is %s", diag.And(order))
			default:
				before = i
			}
		}
		stmts := b.stmts(s.Stmts)
		switch name {
		case "functions":
			for _, f := range s.Functions {
				p.Functions = append(p.Functions, b.function(f))
			}
		case "data":
			p.Data = stmts
		case "transformed data":
			p.TransformedData = stmts
		case "parameters":
			p.Parameters = stmts
		case "transformed parameters":
			p.TransformedParameters = stmts
		case "model":
			p.Model, p.HasModel = stmts, true
		case "generated quantities":
			p.Generated = stmts
		}
	}
	return p
}

func (s *sectionTree) name() string {
	switch {
	case s.First != nil:
		return s.First.Value
	case s.Second != nil:
		return "transformed " + s.Second.Value
	case s.Generated != nil:
		return "generated quantities"
	}
	return "functions"
}

// head returns the span of the first word of a block.
func (b *builder) head(s *sectionTree, name string) source.Span {
	return source.Span{File: b.src, Start: s.Pos.Offset, End: s.Pos.Offset + len(strings.Fields(name)[0])}
}

func (b *builder) function(t *functionTree) *Function {
	f := &Function{Place: b.at(t.node), Result: t.Result.build(), Name: b.ident(t.Name)}
	for _, p := range t.Params {
		f.Params = append(f.Params, &Param{b.at(p.node), b.ident(p.Name), p.Type.build(), p.Data})
		if len(p.Type.Old) > 0 {
			old(b.diags, b.at(p.Type.node).At, "it is `array[…] type`")
		}
	}
	if t.Body != nil {
		f.Body = b.block(t.Body)
	}
	return f
}

func (t *unsizedTree) build() Type {
	var out Type
	if t.Word == nil {
		out.Word = "tuple"
		for _, e := range t.Elems {
			out.Elems = append(out.Elems, e.build())
		}
	} else {
		out.Word = plainWord(t.Word.Value)
	}
	out.Depth = len(t.Array) + len(t.Old)
	return out
}

func (b *builder) block(t *blockTree) *Block { return &Block{b.at(t.node), b.stmts(t.Stmts)} }

func (b *builder) stmts(trees []*stmtTree) []Stmt {
	var out []Stmt
	for _, t := range trees {
		if t.Decl != nil {
			out = append(out, b.declared(t.Decl)...)
			continue
		}
		out = append(out, b.stmt(t))
	}
	return out
}

// stmt returns a statement that must not declare several variables.
func (b *builder) stmt(t *stmtTree) Stmt {
	at := b.at(t.node)
	switch {
	case t.Block != nil:
		return b.block(t.Block)
	case t.If != nil:
		s := &If{Place: at, Cond: b.expr(t.If.Cond), Then: b.stmt(t.If.Then)}
		if t.If.Else != nil {
			s.Else = b.stmt(t.If.Else)
		}
		return s
	case t.While != nil:
		return &While{at, b.expr(t.While.Cond), b.stmt(t.While.Body)}
	case t.For != nil:
		f := &For{Place: at, Index: b.ident(t.For.Index), Lo: b.expr(t.For.Lo)}
		if t.For.Hi != nil {
			f.Hi = b.expr(t.For.Hi)
		}
		f.Body = b.stmt(t.For.Body)
		return f
	case t.Jump != nil:
		return &Jump{at, *t.Jump}
	case t.Return != nil:
		r := &Return{Place: at}
		if t.Return.Value != nil {
			r.Value = b.expr(t.Return.Value)
		}
		return r
	case t.Message != nil:
		return &Message{at, t.Message.Word, b.exprs(t.Message.Args)}
	case t.Profile != nil:
		b.expr(t.Profile.Name)
		return b.block(t.Profile.Body)
	case t.Decl != nil: // the only statement of a loop or a branch
		return &Block{at, b.declared(t.Decl)}
	case t.Simple != nil:
		return b.simple(at, t.Simple)
	}
	return &Empty{at}
}

func (b *builder) declared(t *declTree) []Stmt {
	var out []Stmt
	for _, n := range t.Names {
		typ := b.sized(t.Type)
		if len(n.Old) > 0 {
			typ.ArrayDims = append(typ.ArrayDims, b.exprs(n.Old)...)
			old(b.diags, b.at(n.node).At, "it is `array[…] "+t.Type.word()+" "+n.Name.Name+"`")
		}
		d := &Decl{Place: b.at(t.node), Type: typ, Name: b.ident(n.Name)}
		if n.Value != nil {
			d.Value = b.expr(n.Value)
			b.assignment(n.Op, b.at(n.node).At)
		}
		out = append(out, d)
	}
	return out
}

func (t *sizedTree) word() string {
	if t.Word == nil {
		return "tuple"
	}
	return t.Word.Value
}

// assignment adds a note if the old operator `<-` is used.
func (b *builder) assignment(op string, at source.Span) {
	if op == "<-" {
		old(b.diags, at, "a value is assigned by `=`")
	}
}

func (b *builder) sized(t *sizedTree) *SizedType {
	s := &SizedType{Place: b.at(t.node), Word: t.word(), ArrayDims: b.exprs(t.Array), Dims: b.exprs(t.Dims)}
	for _, c := range t.Constraints {
		value := b.infix(&c.Value.node, c.Value.Head, c.Value.operators())
		s.Constraints = append(s.Constraints, Constraint{b.ident(c.Name), value})
	}
	for _, e := range t.Elems {
		s.Elems = append(s.Elems, b.sized(e))
	}
	return s
}

func (b *builder) simple(at Place, t *simpleTree) Stmt {
	left := b.expr(t.Left)
	switch {
	case t.Sample != nil:
		s := &Sample{Place: at, Left: left, Dist: b.ident(t.Sample.Dist), Args: b.exprs(t.Sample.Args)}
		if tr := t.Sample.Trunc; tr != nil {
			s.Truncated = true
			if tr.Lower != nil {
				s.Lower = b.expr(tr.Lower)
			}
			if tr.Upper != nil {
				s.Upper = b.expr(tr.Upper)
			}
		}
		return s
	case t.Right != nil:
		op := t.Op
		if op == "<-" {
			b.assignment(op, at.At)
			op = "="
		}
		return &Assign{at, left, op, b.expr(t.Right)}
	}
	call, ok := left.(*Call)
	if !ok {
		b.diags.Errorf(diag.Syntax, left.Span(), "an expression alone is not a statement").
			Help("assign it by `=`, or add it to the log density by `target +=`")
		return &Empty{at}
	}
	if call.Fun.Name == "increment_log_prob" && len(call.Args) == 1 {
		old(b.diags, call.Fun.At, "it is `target += …`")
		return &Assign{at, &Name{call.Fun.Place, "target"}, "+=", call.Args[0]}
	}
	return &CallStmt{at, call}
}

// Expressions.

func (b *builder) exprs(trees []*exprTree) []Expr {
	var out []Expr
	for _, t := range trees {
		out = append(out, b.expr(t))
	}
	return out
}

func (b *builder) expr(t *exprTree) Expr {
	e := b.infix(&t.node, t.Head, t.operators())
	if t.Then == nil {
		return e
	}
	return &Ternary{b.at(t.node), e, b.expr(t.Then), b.expr(t.Else)}
}

// An operator is an infix operator of a flat list, with the term that follows it.
type operator struct {
	op   string
	term *termTree
}

func (t *exprTree) operators() (all []operator) {
	for _, o := range t.Tail {
		op := o.Op
		if op.Value == "" {
			op = o.More
		}
		all = append(all, operator{op.Value, o.Term})
	}
	return all
}

func (t *boundTree) operators() (all []operator) {
	for _, o := range t.Tail {
		all = append(all, operator{o.Op.Value, o.Term})
	}
	return all
}

// strength is the precedence of infix operators. Powers bind more tightly than a sign before a term, all others less.
var strength = map[string]int{"||": 1, "&&": 2, "==": 3, "!=": 3, "<": 4, "<=": 4, ">": 4, ">=": 4, "+": 5, "-": 5,
	"*": 6, "/": 6, "%": 6, ".*": 6, "./": 6, "%/%": 7, `\`: 7, "^": 9, ".^": 9}

const signStrength = 8

// A climber applies precedence to a flat list of operators.
type climber struct {
	*builder
	term *termTree // next term; sign has its prefix signs that are not yet consumed
	sign []*signTree
	rest []operator
}

func (b *builder) infix(_ *node, head *termTree, rest []operator) Expr {
	c := &climber{builder: b, term: head, sign: head.Prefix, rest: rest}
	return c.climb(0)
}

// climb parses operators whose precedence is at least the given one.
func (c *climber) climb(least int) Expr {
	left := c.signed()
	for len(c.rest) > 0 {
		op := c.rest[0]
		s := strength[op.op]
		if s < least {
			return left
		}
		c.term, c.sign, c.rest = op.term, op.term.Prefix, c.rest[1:]
		next := s + 1
		if s == strength["^"] { // a^b^c is a^(b^c)
			next = s
		}
		right := c.climb(next)
		left = &Binary{Place{left.Span().To(right.Span())}, op.op, left, right}
	}
	return left
}

// signed parses the next term with its prefix signs, and the powers that bind more tightly than these.
func (c *climber) signed() Expr {
	if len(c.sign) == 0 {
		return c.atomWithPostfix(c.term)
	}
	sign := c.sign[0].Sign
	c.sign = c.sign[1:]
	x := c.climb(signStrength)
	at := spanOf(c.src, sign).To(x.Span())
	if n, ok := x.(*Number); ok && sign.Value == "-" {
		return &Number{Place{at}, "-" + n.Text, -n.Value, n.IsInt, n.Imaginary}
	}
	return &Unary{Place{at}, sign.Value, x}
}

func (b *builder) atomWithPostfix(t *termTree) Expr {
	e := b.atom(t.Atom)
	for _, p := range t.Postfix {
		at := Place{e.Span().To(b.at(p.node).At)}
		switch {
		case p.Transpose:
			e = &Unary{at, "'", e}
		case p.Field != nil:
			n, err := strconv.Atoi((*p.Field)[1:])
			if err != nil {
				b.diags.Errorf(diag.Syntax, b.at(p.node).At, "`%s` is not the number of an element", *p.Field)
			}
			e = &Field{at, e, n}
		default:
			i := &Index{Place: at, X: e}
			for _, s := range p.Subs {
				i.Subs = append(i.Subs, b.sub(s))
			}
			e = i
		}
	}
	return e
}

func (b *builder) sub(t *subTree) Sub {
	s := Sub{Place: b.at(t.node), Range: t.Colon || t.Lo == nil}
	if t.Lo != nil {
		s.Lo = b.expr(t.Lo)
	}
	if t.Hi != nil {
		s.Hi = b.expr(t.Hi)
	}
	return s
}

func (b *builder) atom(t *atomTree) Expr {
	at := b.at(t.node)
	switch {
	case t.Number != nil:
		return b.number(at, *t.Number)
	case t.Text != nil:
		return &Text{at, strings.Trim(*t.Text, `"`)}
	case t.Call != nil:
		c := &Call{Place: at, Fun: b.ident(t.Name), Bar: t.Call.Bar}
		if t.Call.First != nil {
			c.Args = append(c.Args, b.expr(t.Call.First))
		}
		c.Args = append(c.Args, b.exprs(t.Call.Rest)...)
		return c
	case t.Name != nil:
		return &Name{at, t.Name.Name}
	case t.Row != nil:
		return &List{at, "[", b.exprs(t.Row.Items)}
	case t.Array != nil:
		return &List{at, "{", b.exprs(t.Array.Items)}
	case len(t.Tuple) == 1:
		return &Paren{at, b.expr(t.Tuple[0])}
	}
	return &List{at, "(", b.exprs(t.Tuple)}
}

func (b *builder) number(at Place, text string) Expr {
	n := &Number{Place: at, Text: strings.ReplaceAll(text, "_", "")}
	if strings.HasSuffix(n.Text, "i") {
		n.Text, n.Imaginary = strings.TrimSuffix(n.Text, "i"), true
	}
	n.IsInt = !n.Imaginary && !strings.ContainsAny(n.Text, ".eE")
	n.Value, _ = strconv.ParseFloat(n.Text, 64)
	if n.IsInt && n.Value > 2147483647 {
		b.diags.Errorf(diag.BadNumber, at.At, "`%s` is too large for an int; the largest is 2147483647", text)
	}
	return n
}
