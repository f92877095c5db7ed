package names

import (
	"ppl/lang/ast"
	"ppl/lang/source"
)

// A resolver walks the tree with a stack of open scopes.
type resolver struct {
	table  *Table
	scopes []scope
}

// A scope holds the symbols that are declared in a part of the text.
type scope struct {
	at    source.Span
	names map[string]*Symbol
}

func (r *resolver) open(at source.Span) {
	r.scopes = append(r.scopes, scope{at, map[string]*Symbol{}})
}

func (r *resolver) close() { r.scopes = r.scopes[:len(r.scopes)-1] }

// add declares a name in the innermost scope, unless it is already declared there.
func (r *resolver) add(id ast.Ident, k Kind) *Symbol {
	in := r.scopes[len(r.scopes)-1]
	if s := in.names[id.Name]; s != nil {
		return s
	}
	s := &Symbol{Name: id.Name, Kind: k, Scope: in.at, At: id.At}
	in.names[id.Name] = s
	r.table.symbols = append(r.table.symbols, s)
	return s
}

// find returns the symbol of a name. An undeclared name gets a symbol in the file's scope.
func (r *resolver) find(name string) *Symbol {
	for k := len(r.scopes) - 1; k >= 0; k-- {
		if s := r.scopes[k].names[name]; s != nil {
			return s
		}
	}
	s := &Symbol{Name: name, Kind: Elsewhere, Scope: r.scopes[0].at}
	r.scopes[0].names[name] = s
	return s
}

func (r *resolver) place(at source.Span, name string, declare bool) {
	r.table.places = append(r.table.places, Occurrence{at, r.find(name), declare})
}

// declare adds the declarations of a statement to the enclosing scope.
func (r *resolver) declare(st ast.Stmt) {
	switch st := st.(type) {
	case *ast.Data:
		for _, d := range st.Decls {
			r.add(d.Name, Data)
		}
	case *ast.Draw:
		for _, h := range st.Heads {
			k := Drawn
			switch {
			case st.Block != nil || h.HasParams:
				k = Template
			case st.Generate:
				k = Generated
			}
			r.declareHead(h, k)
		}
	case *ast.Define:
		for _, h := range st.Heads {
			k := Defined
			switch {
			case h.HasParams || h.Prime:
				k = Function
			case st.Generate:
				k = Generated
			}
			r.declareHead(h, k)
		}
	}
}

// declareHead adds the name of a left side, unless it is dotted: another statement declares the f of `f.weights`.
func (r *resolver) declareHead(h *ast.Head, k Kind) {
	if len(h.Path) == 1 {
		r.add(h.Path[0], k)
	}
}

// declareSizes adds the sizes that data statements declare by naming them, such as the N of `data y[N]`.
func (r *resolver) declareSizes(stmts []ast.Stmt) {
	for _, st := range stmts {
		if d, ok := st.(*ast.Data); ok {
			for _, x := range d.Decls {
				for _, s := range append(x.Sets[:len(x.Sets):len(x.Sets)], x.TypeArg) {
					r.declareSize(s)
				}
			}
		}
	}
}

func (r *resolver) declareSize(s *ast.Set) {
	if s == nil || s.Hi != nil {
		return
	}
	if n, ok := s.Lo.(*ast.Name); ok && n.Name != "_" {
		r.add(ast.Ident{Place: n.Place, Name: n.Name}, Size)
	}
}

// statement resolves the names of a statement. It ignores infer statements, because names of samplers and of their
// settings are not names of the file, and imports.
func (r *resolver) statement(st ast.Stmt) {
	switch st := st.(type) {
	case *ast.Data:
		for _, d := range st.Decls {
			r.decl(d)
		}
	case *ast.Draw:
		r.open(st.Span())
		r.heads(st.Heads)
		r.distribution(st.Dist)
		r.block(st.Block)
		r.close()
	case *ast.Define:
		r.open(st.Span())
		r.heads(st.Heads)
		r.expr(st.Value)
		r.block(st.Block)
		r.close()
	case *ast.Factor:
		r.open(st.Span())
		r.slots(st.Slots)
		r.expr(st.Value)
		r.close()
	case *ast.Event:
		r.open(st.Span())
		r.slots(st.Slots)
		r.add(st.Time, Parameter)
		r.place(st.Time.At, st.Time.Name, true)
		r.expr(st.When)
		r.expr(st.Target)
		r.expr(st.Amount)
		r.close()
	}
}

func (r *resolver) decl(d *ast.Decl) {
	r.place(d.Name.At, d.Name.Name, true)
	for _, s := range d.Sets {
		r.set(s)
	}
	r.set(d.TypeArg)
	r.between(d.Bounds)
	r.expr(d.MissingCode)
	r.expr(d.Value)
}

// heads resolves left sides, whose indices and parameters are visible in the rest of the statement.
func (r *resolver) heads(heads []*ast.Head) {
	for _, h := range heads {
		r.place(h.Path[0].At, h.Path[0].Name, true)
		r.slots(h.Slots)
		for _, p := range h.Params {
			r.parameter(p)
		}
	}
}

func (r *resolver) slots(slots []*ast.Slot) {
	for _, s := range slots {
		if s.Index != nil {
			r.add(*s.Index, Index)
			r.place(s.Index.At, s.Index.Name, true)
		}
		r.set(s.Set)
	}
}

func (r *resolver) parameter(p *ast.Param) {
	if p.Name != nil {
		r.add(*p.Name, Parameter)
		r.place(p.Name.At, p.Name.Name, true)
	}
	for _, s := range p.Sets { // `f(x[N, D])` names the sizes of its argument
		r.declareSize(s)
		r.set(s)
	}
	r.expr(p.Default)
	r.expr(p.Expr)
}

func (r *resolver) distribution(d *ast.Distribution) {
	if d == nil {
		return
	}
	for _, e := range []ast.Expr{d.Base, d.Weight, d.UpTo, d.Rounded} {
		r.expr(e)
	}
	r.between(d.In)
	r.between(d.Censored)
}

func (r *resolver) block(b *ast.Block) {
	if b == nil {
		return
	}
	r.open(b.Span())
	for _, st := range b.Stmts {
		r.declare(st)
	}
	for _, st := range b.Stmts {
		r.statement(st)
	}
	r.expr(b.Return)
	r.close()
}

func (r *resolver) between(b *ast.Range) {
	if b != nil {
		r.expr(b.Lo)
		r.expr(b.Hi)
	}
}

func (r *resolver) set(s *ast.Set) {
	if s != nil {
		r.expr(s.Lo)
		r.expr(s.Hi)
	}
}

func (r *resolver) expr(e ast.Expr) {
	switch e := e.(type) {
	case nil:
	case *ast.Name:
		if e.Name != "_" {
			r.place(e.At, e.Name, false)
		}
	case *ast.Paren:
		r.expr(e.X)
	case *ast.Unary:
		r.expr(e.X)
	case *ast.Binary:
		r.expr(e.X)
		r.expr(e.Y)
	case *ast.Cond:
		r.expr(e.If)
		r.expr(e.Then)
		r.expr(e.Else)
	case *ast.Pipe:
		r.expr(e.X)
		r.expr(e.To)
	case *ast.Call:
		r.expr(e.Fun)
		for _, a := range e.Args {
			r.expr(a.Value)
		}
	case *ast.Index:
		r.expr(e.X)
		for _, s := range e.Subs {
			r.set(s)
		}
	case *ast.Member:
		r.expr(e.X)
	case *ast.List:
		for _, x := range e.Items {
			r.expr(x)
		}
	case *ast.Comprehension:
		r.open(e.Span())
		for _, b := range e.Binders {
			r.set(b.Set)
			r.add(b.Index, Index)
			r.place(b.Index.At, b.Index.Name, true)
		}
		r.expr(e.Body)
		r.close()
	}
}
