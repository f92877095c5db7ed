package check

import (
	"slices"
	"strconv"

	"ppl/compiler/frontend/lint"
	"ppl/compiler/frontend/model"
	"ppl/compiler/frontend/scope"
	"ppl/lang/ast"
	"ppl/lang/diag"
)

// collect adds the names that statements define to a scope. Data come first: whether a name is declared as data
// determines the meaning of its other statements, even of those before the declaration.
func (c *checker) collect(stmts []ast.Stmt, s *scope.Scope) {
	for _, st := range stmts {
		if st, ok := st.(*ast.Data); ok {
			rows := c.selection(st)
			for _, d := range st.Decls {
				c.collectData(d, st, s, rows)
			}
		}
	}
	for _, st := range stmts {
		switch st := st.(type) {
		case *ast.Define:
			for _, h := range st.Heads {
				c.collectDefine(h, st, s)
			}
		case *ast.Draw:
			for _, h := range st.Heads {
				c.collectDraw(h, st, s)
			}
		case *ast.Infer:
			c.collectInfer(st)
		case *ast.Factor:
			c.collectFactor(st, s)
		case *ast.Event:
			c.equations.CollectEvent(st, s)
		case *ast.Import:
			c.collectImport(st, s)
		}
	}
}

// selection returns the selection of rows that a data statement makes with `complete` or `holdout`, or nil if it uses
// all rows.
func (c *checker) selection(st *ast.Data) *model.Selection {
	if !st.Complete && st.HeldOut == nil {
		return nil
	}
	rows := &model.Selection{At: st.Span(), Complete: st.Complete}
	if share := st.HeldOut; share != nil {
		rows.HeldOut = share.Value
		if !(share.Value > 0 && share.Value < 1) {
			c.Errorf(diag.Syntax, share.Span(), "`holdout %s` is not a share of the rows", share.Text).
				Help("write a number between 0 and 1: `holdout 0.2` withholds a fifth of the rows for prediction")
		}
	}
	rows.Seed = c.seedOf(st.Seed, "holdout 0.2")
	return rows
}

// seedOf returns the number after `seed`, or 0 if there is none. example is a clause to show in the advice.
func (c *checker) seedOf(seed *ast.Number, example string) uint64 {
	if seed == nil {
		return 0
	}
	if !seed.IsInt || seed.Value >= 1<<53 {
		c.Errorf(diag.Syntax, seed.Span(), "`seed %s` is not an integer below 2^53", seed.Text).
			Help("an integer seed selects the rows: `%s seed 1`", example)
	}
	return uint64(seed.Value)
}

// permuted returns the share of rows whose values a declaration permutes, and the seed. It returns nil if the
// declaration has no `permute`.
func (c *checker) permuted(d *ast.Decl) *model.Permuted {
	share := d.Permute
	switch {
	case share == nil:
		return nil
	case !(share.Value > 0 && share.Value <= 1):
		c.Errorf(diag.Syntax, share.Span(), "`permute %s` is not a share of the rows", share.Text).
			Help("write a number above 0 and at most 1: `permute 0.2` puts a fifth of the values in another order")
	case len(d.Sets) == 0:
		c.Errorf(diag.Syntax, share.Span(), "`permute` exchanges the values of rows, but `%s` is one number",
			d.Name.Name).Help("remove `permute`")
	}
	return &model.Permuted{At: share.Span(), Share: share.Value, Seed: c.seedOf(d.Seed, "permute 0.2")}
}

func (c *checker) collectData(d *ast.Decl, st *ast.Data, s *scope.Scope, rows *model.Selection) {
	if s != c.global {
		c.Errorf(diag.Syntax, d.Span(), "`data` must be outside of blocks")
		return
	}
	if old := s.Names[d.Name.Name]; old != nil {
		c.Errorf(diag.DefinedTwice, d.Name.Span(), "`%s` is defined twice", d.Name.Name).Related(old.At,
			"first defined here")
		return
	}
	a := c.newArray(d.Name, s)
	a.Decl, a.Role, a.Missing, a.Selection = d, model.Data, d.Missing, rows
	a.Permuted = c.permuted(d)
	if st.From != nil {
		a.From = st.From.Value
	}
	for _, name := range st.By {
		a.By = append(a.By, model.Column{At: name.Span(), Name: name.Value})
	}
	a.MissingTexts = c.missingTexts(d, st)
	if len(st.By) > len(d.Sets) {
		c.Errorf(diag.ParameterBound, st.By[len(d.Sets)].Span(), "`by` names %s, but `%s` has %s",
			diag.Count(len(st.By), "column", "columns"), d.Name.Name, diag.Count(len(d.Sets), "axis", "axes")).
			Help("name one column for each axis: in each row it contains an element of the axis; declare arrays with " +
				"another number of axes in another `data` statement")
	}
	c.chooseColumns(a, d, st)
}

// missingTexts returns the texts that mean a missing value in an array: those of its declaration and those of its data
// statement, with numbers as text.
func (c *checker) missingTexts(d *ast.Decl, st *ast.Data) (texts []string) {
	for _, t := range d.MissingTexts {
		texts = append(texts, t.Value)
	}
	for _, code := range st.Missing {
		text, isText := code.(*ast.String)
		switch n, ok := signedNumber(code); {
		case isText:
			texts = append(texts, text.Value)
		case ok:
			texts = append(texts, strconv.FormatFloat(n, 'g', -1, 64))
		default:
			c.Errorf(diag.Syntax, code.Span(), "a code for missing values must be a number or a text in quotes")
		}
	}
	return texts
}

// signedNumber returns the value of a number with an optional sign; ok is false for other expressions.
func signedNumber(e ast.Expr) (float64, bool) {
	switch e := e.(type) {
	case *ast.Number:
		return e.Value, true
	case *ast.Unary:
		n, ok := signedNumber(e.X)
		if e.Op == "-" {
			n = -n
		}
		return n, ok
	}
	return 0, false
}

// chooseColumns assigns the columns of a data statement to the matrix that it declares. It reports an error if the
// statement declares no matrix or several.
func (c *checker) chooseColumns(a *scope.Array, d *ast.Decl, st *ast.Data) {
	if len(st.Columns) == 0 {
		return
	}
	matrices := slices.DeleteFunc(slices.Clone(st.Decls), func(o *ast.Decl) bool { return len(o.Sets) != 2 })
	switch {
	case len(matrices) == 0 && d == st.Decls[0]:
		c.Errorf(diag.ParameterBound, st.Columns[0].Span(), "`columns` lists the columns of a matrix, but no matrix "+
			"is declared here").Help("give the array two axes: `data X[N, D] from \"f.csv\" columns …`")
	case len(matrices) > 1 && d == st.Decls[0]:
		c.Errorf(diag.ParameterBound, st.Columns[0].Span(), "`columns` lists the columns of one matrix, but %d "+
			"matrices are declared here", len(matrices)).
			Help("declare each matrix in its own `data` statement: `data X[N, D] from \"f.csv\" columns …`")
	case len(matrices) == 1 && d == matrices[0]:
		for _, name := range st.Columns {
			a.Columns = append(a.Columns, model.Column{At: name.Span(), Name: name.Value})
		}
	}
}

func (c *checker) newArray(id ast.Ident, s *scope.Scope) *scope.Array {
	a := &scope.Array{Array: &model.Array{Name: id.Name, At: id.Span()}, Scope: s}
	s.Add(&scope.Entity{Name: id.Name, At: id.Span(), Array: a})
	if s == c.global {
		c.Model.Arrays = append(c.Model.Arrays, a.Array)
	}
	return a
}

func (c *checker) collectDefine(h *ast.Head, st *ast.Define, s *scope.Scope) {
	switch {
	case h.Prime:
		c.equations.CollectPrime(h, st, s)
		return
	case len(h.Path) > 1:
		c.Errorf(diag.Syntax, h.Span(), "`%s` cannot be defined: names with a dot belong to templates, networks and "+
			"imported files; use a name without a dot", h.Name())
		return
	case h.HasParams && s == c.global && c.primes[h.Path[0].Name]:
		c.equations.CollectInitial(h, st, s)
		return
	case h.HasParams:
		c.collectFunction(h, st, s)
		return
	}
	if a := c.arrayFor(h, s); a != nil {
		if a.Role == model.Data && a.Decl != nil {
			c.Errorf(diag.DefinedTwice, h.Span(), "`%s` is data (line %d) and cannot be defined too", a.Name,
				a.At.Line()).
				Related(a.At, "declared here")
			return
		}
		a.Defs = append(a.Defs, scope.Define{Head: h, Stmt: st})
		a.Save = a.Save || st.Generate
	}
}

func (c *checker) collectFunction(h *ast.Head, st *ast.Define, s *scope.Scope) {
	name := h.Path[0].Name
	if len(c.importing) == 0 && lint.RefuseLeftCall(h, st, c.quantities, c.global, &c.Diags) {
		return
	}
	if old := s.Names[name]; old != nil {
		c.Errorf(diag.DefinedTwice, h.Span(), "`%s` is defined twice", name).Related(old.At, "first defined here")
		return
	}
	s.Add(&scope.Entity{Name: name, At: h.Span(), Fn: &scope.Function{Name: name, At: h.Span(), Head: h, Stmt: st,
		Scope: s}})
}

func (c *checker) collectDraw(h *ast.Head, st *ast.Draw, s *scope.Scope) {
	switch {
	case h.HasParams || st.Block != nil:
		c.collectTemplate(h, st, s)
		return
	case len(h.Path) > 1:
		c.collectPrior(h, st, s)
		return
	case s != c.global:
		c.collectInner(h, st, s)
		return
	}
	if a := c.arrayFor(h, s); a != nil {
		a.Draws = append(a.Draws, scope.Draw{Head: h, Stmt: st})
	}
}

// arrayFor returns the array on a left-hand side, and creates it if the name is new. If the name is not an array, it
// reports an error and returns nil.
func (c *checker) arrayFor(h *ast.Head, s *scope.Scope) *scope.Array {
	id := h.Path[0]
	old := s.Names[id.Name]
	if old == nil {
		a := c.newArray(id, s)
		a.Role = model.Definition
		return a
	}
	if old.Array == nil {
		c.Errorf(diag.DefinedTwice, h.Span(), "`%s` is defined twice", id.Name).Related(old.At, "first defined here")
	}
	return old.Array
}

// collectFactor replaces `factor[i in N]: e` by the two statements f[i in N] = 0 and f[i in N] ~ Density(e). The name f
// contains a space, so that no name in the model equals it.
func (c *checker) collectFactor(st *ast.Factor, s *scope.Scope) {
	if s != c.global {
		c.Errorf(diag.Syntax, st.Span(), "`factor` must be outside of blocks")
		return
	}
	c.factors++
	at := st.Place
	head := &ast.Head{Place: at, Path: []ast.Ident{{Place: at, Name: "factor " + itoa(c.factors)}}, Slots: st.Slots}
	density := &ast.Call{Place: at, Fun: &ast.Name{Place: at, Name: "Density"},
		Args: []*ast.Arg{{Place: at, Value: st.Value}}}
	zero := &ast.Number{Place: at, Text: "0", IsInt: true}
	c.collectDefine(head, &ast.Define{Place: at, Heads: []*ast.Head{head}, Value: zero}, s)
	c.collectDraw(head, &ast.Draw{Place: at, Heads: []*ast.Head{head},
		Dist: &ast.Distribution{Place: at, Base: density}}, s)
	c.global.Names[head.Name()].Array.Factor = true
}

// factorsOfPrior makes factors that read data, directly or indirectly, terms of the likelihood, and all others terms of
// the prior.
func (c *checker) factorsOfPrior() {
	leads := leadsToData{}
	for _, t := range c.Model.Terms {
		if e := c.global.Names[t.Array.Name]; e != nil && e.Array != nil && e.Array.Factor {
			t.Kind = model.Likelihood
			if !leads.expr(t.Density) {
				t.Kind = model.Prior
			}
		}
	}
}

// leadsToData caches whether arrays are data or read data, directly or indirectly.
type leadsToData map[*model.Array]bool

func (l leadsToData) expr(x model.Expr) bool {
	seen := map[*model.Array]bool{}
	if l.any(seen, x) {
		return true
	}
	for a := range seen {
		l[a] = false
	}
	return false
}

// any reports whether expressions read data. It caches only positive answers: an array without data may be part of a
// cycle that is not fully explored.
func (l leadsToData) any(seen map[*model.Array]bool, xs ...model.Expr) bool {
	for _, a := range model.Arrays(xs...) {
		leads, known := l[a]
		if !known && !seen[a] {
			seen[a] = true
			leads = a.Role == model.Data || a.Role == model.Imputed || l.any(seen, a.Exprs()...)
			if leads {
				l[a] = true
			}
		}
		if leads {
			return true
		}
	}
	return false
}

func (c *checker) collectInfer(st *ast.Infer) {
	for _, e := range st.Calls {
		call := model.InferCall{At: e.Span()}
		switch e := e.(type) {
		case *ast.Name:
			call.Name = e.Name
		case *ast.Call:
			n, ok := e.Fun.(*ast.Name)
			if !ok {
				c.Errorf(diag.Syntax, e.Span(), "`infer` needs the name of a sampler, such as `infer "+
					"renhd(replicas = 8)`")
				continue
			}
			call.Name = n.Name
			call.Args = c.inferArgs(e)
		default:
			c.Errorf(diag.Syntax, e.Span(), "`infer` needs the name of a sampler, such as `infer renhd(replicas = 8)`")
			continue
		}
		c.Model.Infer = append(c.Model.Infer, call)
	}
}

func (c *checker) inferArgs(e *ast.Call) (args []model.InferArg) {
	for _, a := range e.Args {
		if a.Name == nil {
			c.Errorf(diag.Syntax, a.Span(), "an option of `infer` needs a name: write `replicas = 8`")
			continue
		}
		text := a.Value.Span().Text()
		if s, ok := a.Value.(*ast.String); ok {
			text = s.Value
		}
		args = append(args, model.InferArg{At: a.Span(), Name: a.Name.Name, Value: text})
	}
	return args
}
