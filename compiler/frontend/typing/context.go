package typing

import (
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
	"ppl/lang/source"
)

// A Context is what typed expressions are made in: the model that they belong to, and where mistakes are reported.
type Context struct {
	Model  *model.Model
	Diags  diag.List
	lastID int // of the last index that was made
}

// Errorf reports a mistake.
func (c *Context) Errorf(code diag.Code, at source.Span, format string, args ...any) diag.Entry {
	return c.Diags.Errorf(code, at, format, args...)
}

// NotYet reports what the language has and the compiler does not offer.
func (c *Context) NotYet(at source.Span, what string) diag.Entry {
	return c.Errorf(diag.NotCompiled, at, "%s: not compiled by this version of ppl yet", what)
}

// NewIndex makes an index over a set.
func (c *Context) NewIndex(name string, set *model.Set) *model.Index {
	c.lastID++
	return &model.Index{Name: name, Set: set, ID: c.lastID}
}
