package check

import (
	"path/filepath"
	"slices"
	"strings"

	"ppl/compiler/frontend/model"
	"ppl/compiler/frontend/typing"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/lang/source"
)

// A Loader parses an imported file, named as the importing file names it; an error says why it cannot. It gives the
// same tree for the same file.
type Loader func(from *source.File, path string) (*ast.File, error)

// collectImport enters a file's functions, templates and static definitions under the file's name.
func (c *checker) collectImport(st *ast.Import, s *scope) {
	path := st.Path.Value
	name := strings.TrimSuffix(path[strings.LastIndexByte(path, '/')+1:], ".ppl")
	if s != c.global && len(c.importing) == 0 || c.load == nil {
		c.Errorf(diag.BadImport, st.Span(), "`import` stands at the top of a file")
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
	if old := s.names[name]; old != nil {
		c.Errorf(diag.DefinedTwice, st.Path.Span(), "`%s` is defined twice", name).Related(old.at, "first defined here")
		return
	}
	inner := c.imported[file]
	if inner == nil {
		inner = newScope(nil)
		c.imported[file] = inner
		c.importing = append(c.importing, file)
		c.collectLibrary(file, inner, path)
		c.importing = c.importing[:len(c.importing)-1]
	}
	s.add(&entity{name: name, at: st.Path.Span(), file: inner, used: true})
}

// collectLibrary takes what an imported file may have.
func (c *checker) collectLibrary(file *ast.File, s *scope, path string) {
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
		c.Errorf(diag.BadImport, st.Span(), "%s line %d: an imported file has functions, templates and constants only",
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

// member is what file.name means, nil when it means nothing that is known.
func (c *checker) member(s *scope, m *ast.Member) *entity {
	n, ok := m.X.(*ast.Name)
	if !ok {
		return nil
	}
	if e := s.lookup(n.Name); e != nil && e.file != nil {
		return e.file.names[m.Name.Name]
	}
	return nil
}

// dotted is beta.lambda, a quantity inside a template's use, or irt.scale, a constant of an imported file.
func (c *checker) dotted(s *scope, m *ast.Member) model.Expr {
	n, ok := m.X.(*ast.Name)
	if !ok {
		c.Errorf(diag.WrongKind, m.Span(), "`%s` has no parts", m.X.Span().Text())
		return typing.Poison(m)
	}
	if e := c.member(s, m); e != nil && e.array != nil {
		return c.ref(e.array, m)
	}
	owner := s.lookup(n.Name)
	if owner != nil && owner.array != nil {
		c.resolve(owner.array)
		if e := c.global.names[n.Name+"."+m.Name.Name]; e != nil {
			owner.used = true
			return c.ref(e.array, m)
		}
	}
	return c.notMember(s, m, n)
}

func (c *checker) notCallable(s *scope, m *ast.Member) model.Expr {
	if n, ok := m.X.(*ast.Name); ok {
		return c.notMember(s, m, n)
	}
	c.Errorf(diag.WrongKind, m.Span(), "`%s` is not a function", m.Span().Text())
	return typing.Poison(m)
}

// notMember says what the thing before the point has.
func (c *checker) notMember(s *scope, m *ast.Member, n *ast.Name) model.Expr {
	owner := s.lookup(n.Name)
	if owner == nil {
		c.undefined(s, n)
		return typing.Poison(m)
	}
	if owner.expr != nil && typing.IsPoison(owner.expr) {
		return typing.Poison(m)
	}
	var names []string
	if owner.file != nil {
		for name := range owner.file.names {
			names = append(names, name)
		}
	} else {
		for name := range c.global.names {
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
