package typing

import (
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
	"ppl/lang/source"
)

// A Context is the context in which expressions are typed: the model, and the list of diagnostics.
type Context struct {
	Model  *model.Model
	Diags  diag.List
	lastID int // ID of the last index that was created
}

// Errorf adds an error to the list of diagnostics.
func (c *Context) Errorf(code diag.Code, at source.Span, format string, args ...any) diag.Entry {
	return c.Diags.Errorf(code, at, format, args...)
}

// NotYet adds an error for a feature of the language that the compiler does not support.
func (c *Context) NotYet(at source.Span, what string) diag.Entry {
	return c.Errorf(diag.NotCompiled, at, "not supported by this version of ppl yet: %s", what)
}

// NewIndex creates an index over a set.
func (c *Context) NewIndex(name string, set *model.Set) *model.Index {
	c.lastID++
	return &model.Index{Name: name, Set: set, ID: c.lastID}
}
