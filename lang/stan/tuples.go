package stan

import (
	"fmt"
	"regexp"
	"slices"

	"ppl/lang/diag"
)

// SplitTuples replaces each variable of a tuple type by one variable for each element, and each tuple argument by
// several arguments. The program must have passed Check:
//
//	tuple(real, vector[2]) t = f(x);    →    real t_1; vector[2] t_2; (t_1, t_2) = f(x);
//	t.2[1]                              →    t_2[1]
//
// It changes p, and returns the new result of Check. A program without tuples is not changed. If a function returns an
// array of tuples, its elements cannot be accessed separately, and an error is reported.
func SplitTuples(p *Program, info *Info) (*Info, []diag.Diagnostic) {
	s := &splitter{info: info, taken: map[string]bool{}}
	if !s.needed(p) {
		return info, nil
	}
	for _, w := range words.FindAllString(p.Source.Text, -1) {
		s.taken[w] = true
	}
	for _, f := range p.Functions {
		s.function(f)
	}
	s.scopes = []map[string]elements{{}}
	for _, block := range []*[]Stmt{&p.Data, &p.TransformedData, &p.Parameters, &p.TransformedParameters, &p.Model,
		&p.Generated} {
		*block = s.stmts(*block)
	}
	return Check(p)
}

var words = regexp.MustCompile(`[A-Za-z_]\w*`)

// elements returns the expression for element k, from 0, of a tuple variable.
type elements func(at Place, k int) Expr

type splitter struct {
	info   *Info
	taken  map[string]bool
	scopes []map[string]elements
}

// needed reports whether any variable or argument is a tuple.
func (s *splitter) needed(p *Program) bool {
	for _, f := range p.Functions {
		if slices.ContainsFunc(f.Params, func(p *Param) bool { return p.Type.Word == "tuple" }) {
			return true
		}
	}
	for e, t := range s.info.Types {
		switch e.(type) {
		case *Name, *Field, *Index:
			if t.Word == "tuple" || isField(e) {
				return true
			}
		}
	}
	return false
}

func isField(e Expr) bool {
	_, is := e.(*Field)
	return is
}

func (s *splitter) lookup(name string) elements {
	for _, scope := range slices.Backward(s.scopes) {
		if of := scope[name]; of != nil {
			return of
		}
	}
	return nil
}

// split declares a variable for each element of a tuple, and returns their names.
func (s *splitter) split(name string, n int) []string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = s.fresh(fmt.Sprintf("%s_%d", name, i+1))
	}
	s.scopes[len(s.scopes)-1][name] = func(at Place, k int) Expr { return &Name{at, parts[k]} }
	return parts
}

func (s *splitter) fresh(name string) string {
	for s.taken[name] {
		name += "_"
	}
	return name
}

// Declarations.

func (s *splitter) function(f *Function) {
	s.scopes = []map[string]elements{{}}
	var params []*Param
	for _, p := range f.Params {
		params = append(params, s.param(p)...)
	}
	f.Params = params
	if f.Body != nil {
		f.Body.Stmts = s.stmts(f.Body.Stmts)
	}
}

func (s *splitter) param(p *Param) (out []*Param) {
	if p.Type.Word != "tuple" {
		return []*Param{p}
	}
	for i, name := range s.split(p.Name.Name, len(p.Type.Elems)) {
		t := p.Type.Elems[i].Array(p.Type.Depth)
		out = append(out, s.param(&Param{p.Place, Ident{p.Name.Place, name}, t, p.Data})...)
	}
	return out
}

// decl returns the declarations that replace d, and an assignment if its value cannot be split into elements.
func (s *splitter) decl(d *Decl) []Stmt {
	s.sizes(d.Type)
	if d.Type.Word != "tuple" {
		d.Value = s.expr(d.Value)
		return []Stmt{d}
	}
	var out []Stmt
	for i, name := range s.split(d.Name.Name, len(d.Type.Elems)) {
		t := *d.Type.Elems[i]
		t.ArrayDims = slices.Concat(d.Type.ArrayDims, t.ArrayDims)
		out = append(out, s.decl(&Decl{Place: d.Place, Type: &t, Name: Ident{d.Name.Place, name}})...)
	}
	if d.Value == nil {
		return out
	}
	left := &Name{d.Name.Place, d.Name.Name}
	s.info.Types[left] = d.Type.Plain()
	return append(out, s.assign(&Assign{Place: d.Place, Left: left, Op: "=", Right: d.Value})...)
}

func (s *splitter) sizes(t *SizedType) {
	s.exprs(t.ArrayDims)
	s.exprs(t.Dims)
	for i := range t.Constraints {
		t.Constraints[i].Value = s.expr(t.Constraints[i].Value)
	}
	for _, e := range t.Elems {
		s.sizes(e)
	}
}

// Statements.

func (s *splitter) stmts(all []Stmt) (out []Stmt) {
	for _, one := range all {
		out = append(out, s.stmt(one)...)
	}
	return out
}

func (s *splitter) inScope(all []Stmt) []Stmt {
	s.scopes = append(s.scopes, map[string]elements{})
	out := s.stmts(all)
	s.scopes = s.scopes[:len(s.scopes)-1]
	return out
}

// body returns one statement: a block if the rewriting gives several.
func (s *splitter) body(one Stmt) Stmt {
	if one == nil {
		return nil
	}
	all := s.inScope([]Stmt{one})
	if len(all) == 1 {
		return all[0]
	}
	return &Block{Place{one.Span()}, all}
}

func (s *splitter) stmt(one Stmt) []Stmt {
	switch one := one.(type) {
	case *Decl:
		return s.decl(one)
	case *Assign:
		return s.assign(one)
	case *Sample:
		one.Left, one.Args = s.expr(one.Left), s.arguments(one.Args)
		one.Lower, one.Upper = s.expr(one.Lower), s.expr(one.Upper)
	case *CallStmt:
		s.expr(one.Call)
	case *Message:
		one.Args = s.arguments(one.Args)
	case *Block:
		one.Stmts = s.inScope(one.Stmts)
	case *If:
		one.Cond, one.Then, one.Else = s.expr(one.Cond), s.body(one.Then), s.body(one.Else)
	case *While:
		one.Cond, one.Body = s.expr(one.Cond), s.body(one.Body)
	case *For:
		s.loop(one)
	case *Return:
		one.Value = s.expr(one.Value)
	}
	return []Stmt{one}
}

// loop rewrites a loop over an array of tuples to a loop with a counter.
func (s *splitter) loop(f *For) {
	s.scopes = append(s.scopes, map[string]elements{})
	defer func() { s.scopes = s.scopes[:len(s.scopes)-1] }()
	if t := s.info.Types[f.Lo]; f.Hi == nil && t.Word == "tuple" {
		array, at := f.Lo, f.Index.Place
		counter := s.fresh(f.Index.Name + "_at")
		s.scopes[len(s.scopes)-1][f.Index.Name] = func(at Place, k int) Expr {
			return &Index{at, s.element(array, k), []Sub{{Place: at, Lo: &Name{at, counter}}}}
		}
		f.Index.Name = counter
		f.Lo, f.Hi = &Number{Place: at, Text: "1", Value: 1, IsInt: true},
			&Call{Place: at, Fun: Ident{at, "size"}, Args: []Expr{s.element(array, 0)}}
	}
	f.Lo, f.Hi, f.Body = s.expr(f.Lo), s.expr(f.Hi), s.body(f.Body)
}

// assign splits an assignment of an array of tuples, which cannot be written as a literal.
func (s *splitter) assign(a *Assign) []Stmt {
	t := s.info.Types[a.Left]
	if t.Word != "tuple" || t.Depth == 0 {
		a.Left, a.Right = s.expr(a.Left), s.expr(a.Right)
		return []Stmt{a}
	}
	var out []Stmt
	for k := range t.Elems {
		left, right := s.element(a.Left, k), s.element(a.Right, k)
		out = append(out, s.assign(&Assign{a.Place, left, a.Op, right})...)
	}
	return out
}

// Expressions.

func (s *splitter) exprs(all []Expr) {
	for i, e := range all {
		all[i] = s.expr(e)
	}
}

// arguments replaces tuples by their elements.
func (s *splitter) arguments(all []Expr) (out []Expr) {
	for _, e := range all {
		t := s.info.Types[e]
		if t.Word != "tuple" {
			out = append(out, s.expr(e))
			continue
		}
		for k := range t.Elems {
			out = append(out, s.arguments([]Expr{s.element(e, k)})...)
		}
	}
	return out
}

// element returns the expression for element k, from 0, of a tuple or of all tuples of an array. It is not yet
// rewritten.
func (s *splitter) element(e Expr, k int) Expr {
	t := s.info.Types[e]
	typed := func(out Expr) Expr {
		if t.Word == "tuple" {
			s.info.Types[out] = t.Elems[k].Array(t.Depth)
		}
		return out
	}
	switch e := e.(type) {
	case *Paren:
		return s.element(e.X, k)
	case *Name:
		if of := s.lookup(e.Name); of != nil {
			return typed(of(e.Place, k))
		}
	case *Index:
		return typed(&Index{e.Place, s.element(e.X, k), e.Subs})
	case *Field:
		if x := s.element(e.X, e.N-1); !isField(x) {
			return s.element(x, k)
		}
	case *Ternary:
		return typed(&Ternary{e.Place, e.If, s.element(e.Then, k), s.element(e.Else, k)})
	case *List:
		if e.Open == "(" {
			return e.Items[k]
		}
		items := make([]Expr, len(e.Items))
		for i, item := range e.Items {
			items[i] = s.element(item, k)
		}
		return typed(&List{e.Place, e.Open, items})
	}
	return typed(&Field{Place{e.Span()}, e, k + 1})
}

// expr rewrites an expression: elements of tuples become the variables that replace them.
func (s *splitter) expr(e Expr) Expr {
	if e == nil {
		return nil
	}
	t := s.info.Types[e]
	switch e := e.(type) {
	case *Name, *Index, *Ternary:
		if t.Word == "tuple" && t.Depth == 0 && !isField(s.element(e, 0)) {
			whole := &List{Place: Place{e.Span()}, Open: "("}
			for k := range t.Elems {
				whole.Items = append(whole.Items, s.expr(s.element(e, k)))
			}
			return whole
		}
	case *Field:
		if x := s.element(e.X, e.N-1); !isField(x) {
			return s.expr(x)
		}
	}
	s.within(e)
	return e
}

// within rewrites the operands of an expression.
func (s *splitter) within(e Expr) {
	switch e := e.(type) {
	case *Unary:
		e.X = s.expr(e.X)
	case *Binary:
		e.X, e.Y = s.expr(e.X), s.expr(e.Y)
	case *Ternary:
		e.If, e.Then, e.Else = s.expr(e.If), s.expr(e.Then), s.expr(e.Else)
	case *Call:
		if e.Fun.Name == "size" && len(e.Args) == 1 && s.info.Types[e.Args[0]].Word == "tuple" {
			e.Args[0] = s.element(e.Args[0], 0) // every element of an array of tuples has the array's length
		}
		e.Args = s.arguments(e.Args)
	case *Index:
		e.X = s.expr(e.X)
		for i := range e.Subs {
			e.Subs[i].Lo, e.Subs[i].Hi = s.expr(e.Subs[i].Lo), s.expr(e.Subs[i].Hi)
		}
	case *Field:
		e.X = s.expr(e.X)
	case *List:
		s.exprs(e.Items)
	case *Paren:
		e.X = s.expr(e.X)
	}
}
