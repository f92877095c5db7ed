package check

import (
	"path/filepath"
	"slices"
	"strings"

	"ppl/compiler/frontend/model"
	"ppl/compiler/frontend/scope"
	"ppl/compiler/frontend/typing"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/lang/source"
)

// A Loader parses an imported file. path is the file's name as written in the importing file. It returns the same tree
// each time it loads the same file.
type Loader func(from *source.File, path string) (*ast.File, error)

// collectImport adds an imported file, with its functions, templates and definitions, to a scope under the file's name
// without directories and `.ppl`.
func (c *checker) collectImport(st *ast.Import, s *scope.Scope) {
	path := st.Path.Value
	name := strings.TrimSuffix(path[strings.LastIndexByte(path, '/')+1:], ".ppl")
	if s != c.global && len(c.importing) == 0 || c.load == nil {
		c.Errorf(diag.BadImport, st.Span(), "`import` must be outside of blocks")
		return
	}
	file, err := c.load(st.Span().File, path)
	if err != nil {
		c.Errorf(diag.BadImport, st.Path.Span(), "%v", err)
		return
	}
	if i := slices.Index(c.importing, file); i >= 0 {
		var names []string
		for _, f := range append(c.importing[i:], file) {
			names = append(names, filepath.Base(f.Source.Name))
		}
		c.Errorf(diag.ImportCycle, st.Path.Span(), "import cycle: %s", strings.Join(names, " → "))
		return
	}
	if old := s.Names[name]; old != nil {
		c.Errorf(diag.DefinedTwice, st.Path.Span(), "`%s` is defined twice", name).Related(old.At, "first defined here")
		return
	}
	inner := c.imported[file]
	if inner == nil {
		inner = scope.New(nil)
		c.imported[file] = inner
		c.importing = append(c.importing, file)
		c.collectLibrary(file, inner, path)
		c.importing = c.importing[:len(c.importing)-1]
	}
	s.Add(&scope.Entity{Name: name, At: st.Path.Span(), File: inner, Used: true})
}

// collectLibrary adds the names of an imported file to its scope, and reports an error for each statement that an
// imported file must not contain.
func (c *checker) collectLibrary(file *ast.File, s *scope.Scope, path string) {
	for _, st := range file.Stmts {
		switch st := st.(type) {
		case *ast.Import:
			c.collectImport(st, s)
			continue
		case *ast.Define:
			c.collect([]ast.Stmt{st}, s)
			continue
		case *ast.Draw:
			if allTemplates(st) {
				c.collect([]ast.Stmt{st}, s)
				continue
			}
		}
		c.Errorf(diag.BadImport, st.Span(), "%s line %d: an imported file may contain only imports, functions, "+
			"templates and constants",
			path, st.Span().Line())
	}
}

func allTemplates(st *ast.Draw) bool {
	for _, h := range st.Heads {
		if !h.HasParams {
			return false
		}
	}
	return true
}

// member returns the entity that file.name denotes, or nil if there is none.
func (c *checker) member(s *scope.Scope, m *ast.Member) *scope.Entity {
	n, ok := m.X.(*ast.Name)
	if !ok {
		return nil
	}
	if e := s.Lookup(n.Name); e != nil && e.File != nil {
		return e.File.Names[m.Name.Name]
	}
	return nil
}

// dotted elaborates beta.lambda, a quantity inside an instance of a template, or irt.scale, a constant of an imported
// file.
func (c *checker) dotted(s *scope.Scope, m *ast.Member) model.Expr {
	n, ok := m.X.(*ast.Name)
	if !ok {
		c.Errorf(diag.WrongKind, m.Span(), "`%s` has no parts", m.X.Span().Text())
		return typing.Poison(m)
	}
	if e := c.member(s, m); e != nil && e.Array != nil {
		return c.ref(e.Array, m)
	}
	owner := s.Lookup(n.Name)
	if owner != nil && owner.Array != nil {
		c.resolve(owner.Array)
		if e := c.global.Names[n.Name+"."+m.Name.Name]; e != nil {
			owner.Used = true
			return c.ref(e.Array, m)
		}
	}
	return c.notMember(s, m, n)
}

func (c *checker) notCallable(s *scope.Scope, m *ast.Member) model.Expr {
	if n, ok := m.X.(*ast.Name); ok {
		return c.notMember(s, m, n)
	}
	c.Errorf(diag.WrongKind, m.Span(), "`%s` is not a function", m.Span().Text())
	return typing.Poison(m)
}

// notMember reports which names exist before or after the dot.
func (c *checker) notMember(s *scope.Scope, m *ast.Member, n *ast.Name) model.Expr {
	owner := s.Lookup(n.Name)
	if owner == nil {
		c.undefined(s, n)
		return typing.Poison(m)
	}
	if owner.Expr != nil && typing.IsPoison(owner.Expr) {
		return typing.Poison(m)
	}
	var names []string
	if owner.File != nil {
		for name := range owner.File.Names {
			names = append(names, name)
		}
	} else {
		for name := range c.global.Names {
			if inner, ok := strings.CutPrefix(name, n.Name+"."); ok {
				names = append(names, inner)
			}
		}
	}
	d := c.Errorf(diag.NoSuchPart, m.Name.Span(), "`%s` is not in `%s`", m.Name.Name, n.Name)
	if near, ok := diag.Nearest(m.Name.Name, sorted(names)); ok {
		d.Meant("`%s.%s`", n.Name, near).Replace(near)
	} else if len(names) > 0 {
		d.Help("it has %s", diag.And(sorted(names)))
	}
	return typing.Poison(m)
}
