package compiler

import (
	"slices"
	"strings"

	"ppl/compiler/frontend/model"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/lang/parse"
	"ppl/lang/source"
)

// A Draft is the text of a model that is edited statement by statement. After each successful edit it is a valid model.
type Draft struct {
	Path string // path of the text if it were a file; data files are relative to it
	Text string
}

// Add adds a statement to the draft: in place of a statement with the same left-hand sides, or else at the end. If the
// result has errors, the draft is unchanged.
func (d *Draft) Add(line string) []diag.Diagnostic {
	f, ds := parse.File(source.New(d.Path, line))
	if diag.HasErrors(ds) || len(f.Stmts) == 0 {
		return ds
	}
	text := d.Text
	for i := len(f.Stmts) - 1; i >= 0; i-- {
		text = replaced(d.Path, text, f.Stmts[i])
	}
	return d.set(text)
}

// replaced returns a text in which a statement replaces the one with the same key, or is appended.
func replaced(path, text string, s ast.Stmt) string {
	f, _ := parse.File(source.New(path, text))
	for _, old := range f.Stmts {
		if key(s) != "" && key(old) == key(s) {
			at := old.Span()
			return text[:at.Start] + s.Span().Text() + text[at.End:]
		}
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text + s.Span().Text() + "\n"
}

// key returns a key of a statement: statements with equal keys (kind and left-hand sides) replace each other.
func key(s ast.Stmt) string {
	var heads []string
	for _, h := range headsOf(s) {
		heads = append(heads, strings.Join(strings.Fields(h.at.Text()), ""))
	}
	kind := ""
	switch s.(type) {
	case *ast.Draw:
		kind = "~"
	case *ast.Define:
		kind = "="
	case *ast.Data:
		kind = "data"
	case *ast.Infer:
		return "infer"
	}
	return kind + strings.Join(heads, ",")
}

// Remove removes the statements that define, draw or declare a name and no other name. If no statement does, it reports
// an error. If the result has errors, the draft is unchanged.
func (d *Draft) Remove(name string) []diag.Diagnostic {
	f, ds := parse.File(source.New(d.Path, d.Text))
	if diag.HasErrors(ds) {
		return ds
	}
	text, found := d.Text, false
	var names []string
	for i := len(f.Stmts) - 1; i >= 0; i-- {
		s := f.Stmts[i]
		heads := headsOf(s)
		for _, h := range heads {
			names = append(names, h.name)
		}
		if len(heads) == 1 && heads[0].name == name {
			at := s.Span()
			text, found = text[:at.Start]+strings.TrimLeft(text[at.End:], " \t\r\n"), true
		}
	}
	if !found {
		var l diag.List
		if slices.Contains(names, name) {
			l.Errorf(diag.Undefined, source.Span{}, "the statement that defines `%s` also defines other names", name)
			return l.All()
		}
		e := l.Errorf(diag.Undefined, source.Span{}, "no statement defines `%s`", name)
		if near, ok := diag.Nearest(name, names); ok {
			e.Meant("`%s`", near)
		}
		return l.All()
	}
	return d.set(text)
}

// set changes the text if it is a valid model.
func (d *Draft) set(text string) []diag.Diagnostic {
	_, ds := CheckText(d.Path, text)
	if !diag.HasErrors(ds) {
		d.Text = text
	}
	return ds
}

// Check checks the current text.
func (d *Draft) Check() (*model.Model, []diag.Diagnostic) { return CheckText(d.Path, d.Text) }

// Defines reports whether the draft defines, draws or declares a name.
func (d *Draft) Defines(name string) bool {
	f, _ := parse.File(source.New(d.Path, d.Text))
	_, ok := headOf(f, name)
	return ok
}
