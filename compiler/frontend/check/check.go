// Package check turns a syntax tree into a checked model: it finds what each name is from the equations, gives every
// expression a type and its axes, matches axes by index set, inlines functions, and reports every mistake at once.
//
// The unit of work is the name: a name's statements are elaborated when something reads it. So statements may be in any
// order, and a name that is read while it is being elaborated is a cycle. In
//
//	y[n in N] ~ Normal(mu[g[n]], sigma)      y:     data over N, observed
//	mu[J] ~ Normal(0, 10)                    mu:    parameter over J, real
//	sigma ~ HalfNormal(1)                    sigma: parameter, in 0..inf
//	data y[N], g[N]: index(J)                g:     data over N, integers in 1..J
//
// the first statement has y, mu, g and sigma elaborated before its own term; the right column is what is found. Each
// mistake in a name is reported once: an expression that was refused is poison, and what reads it is silent.
//
// The files of this package are one cycle of calls, as those of go/types are and for the same reason: an expression
// may read a name, whose statements have expressions, inside of functions, templates and blocks. What needs no such
// recursion is elsewhere: types of operands (typing), what names mean (scope), parts of arrays (pieces), modifiers,
// differential equations (odes), advice, mistakes in the finished model (lint), and its analyses (analyze).
package check

import (
	"ppl/compiler/frontend/advice"
	"ppl/compiler/frontend/analyze"
	"ppl/compiler/frontend/cycles"
	"ppl/compiler/frontend/flatten"
	"ppl/compiler/frontend/lint"
	"ppl/compiler/frontend/model"
	"ppl/compiler/frontend/odes"
	"ppl/compiler/frontend/scope"
	"ppl/compiler/frontend/typing"
	"ppl/lang/ast"
	"ppl/lang/diag"
)

// File checks a parsed file; load parses what it imports. The model is usable only when no diagnostic is an error. Of a
// file with statements that could not be parsed the errors in the others are found.
func File(f *ast.File, load Loader) (*model.Model, []diag.Diagnostic) {
	c := newChecker(f, load)
	c.elaborateAll()
	c.finish()
	return c.Model, c.Diags.All()
}

// elaborateAll makes the model of a file's statements.
func (c *checker) elaborateAll() {
	c.elaborate(c.global)                         // names, types, axes and terms
	c.unusedPriors()                              // priors of weights that are not there
	c.equations.Join()                            // differential equations that read each other
	c.factorsOfPrior()                            // the side of the density that factors belong to
	typing.SettleAll(c.Model)                     // which expressions depend on data only
	flatten.Arrays(c.Model, &c.Diags, c.NewIndex) // arrays with an axis whose end depends on an index
	if !c.Diags.HasErrors() {
		c.wholeRagged() // what is left of such axes
	}
	analyze.CompleteMissing(c.Model) // missing counts that are read after inference alone
}

// finish is what needs all names: the analyses of the finished model, and the warnings about names.
func (c *checker) finish() {
	m, diags := c.Model, &c.Diags
	analyze.ByElement(m, c.NewIndex)     // definitions of whole arrays within series
	cycle := analyze.Cycles(m, diags)    // arrays drawn from each other, which the next two leave out
	analyze.Recurrences(m, diags, cycle) // in which order elements are computed
	analyze.BeforeStart(m, diags)        // recurrences without a first value
	analyze.Orders(m, diags, cycle)      // in which order elements are drawn
	analyze.Latents(m, diags)            // where terms read discrete unknowns
	analyze.Generated(m, diags)
	analyze.Observations(m, diags)
	lint.RefuseDomains(m, diags)
	if diags.HasErrors() || len(c.dropped) > 0 {
		return // warnings about a model that is not understood would mislead
	}
	lint.WarnUnused(m, c.global, diags)
	lint.WarnUnusedFunctions(m, c.global, c.quantities, diags)
	if diags.HasErrors() {
		return
	}
	c.optionalData()
	lint.Warn(m, diags)
	analyze.Elimination(m) // how discrete unknowns are summed out
	analyze.Rows(m, diags) // over which rows minibatches can be drawn
	analyze.Switching(m, diags)
	analyze.Signs(m, diags)
	analyze.JointlyNormal(m)
	analyze.PriorOnly(m, diags)
}

// hints are what advice about the file is made of.
func (c *checker) hints() advice.Hints {
	return advice.Hints{Global: c.global, Sizes: c.sizes, Model: c.Model}
}

// Predictive checks a file as File does, and makes the model draw its data (analyze.Predictive).
func Predictive(f *ast.File, load Loader, from analyze.Basis) (*model.Model, []diag.Diagnostic) {
	c := newChecker(f, load)
	c.elaborateAll()
	if c.Diags.HasErrors() {
		return nil, c.Diags.All()
	}
	c.optionalData()
	var diags diag.List // without the warnings, which File gives
	analyze.Predictive(c.Model, &diags, from)
	return c.Model, diags.All()
}

// newChecker knows the names of a file, none of which is elaborated.
func newChecker(f *ast.File, load Loader) *checker {
	c := &checker{Context: typing.Context{Model: &model.Model{Source: f.Source}}, load: load,
		sizes:    map[string]*model.Size{},
		networks: map[*scope.Function]*scope.Network{}, groups: map[string]*model.Index{},
		imported: map[*ast.File]*scope.Scope{}, cycles: cycles.New(scope.ReadByDefinitions)}
	c.global = scope.New(scope.Library())
	c.equations = odes.New(&c.Context, c.global, odes.Names{Expr: c.expr, Block: c.block, StaticInt: c.staticInt,
		Slots: c.slots, Axes: c.joinedParts, Undefined: c.undefined})
	c.dropped = f.Dropped.Names
	stmts := scope.WithoutDropped(f, c.global)
	c.mentioned, c.quantities = ast.Mentioned(stmts), lint.Quantities(stmts)
	c.primes = odes.Primes(stmts)
	c.collect(stmts, c.global)
	return c
}

type checker struct {
	typing.Context
	global     *scope.Scope
	sizes      map[string]*model.Size // index sets that data give
	unknowns   int                    // names that are not defined
	depth      int                    // how many calls are being inlined
	written    int                    // how many bodies of functions and templates were written out
	load       Loader
	importing  []*ast.File                // files being read, outermost first
	imported   map[*ast.File]*scope.Scope // files that were read: one that is named twice is read once
	primes     map[string]bool            // names with a derivative
	factors    int                        // how many factor statements there are
	equations  *odes.Equations
	mentioned  map[string]bool              // names that occur in an expression
	quantities map[string]bool              // names that statements declare, define or draw
	dropped    map[string]bool              // names in statements that could not be parsed
	unknown    map[string]bool              // functions that are not there, which was reported
	open       []*scope.Array               // definitions being elaborated, outermost first
	cycles     *cycles.Finder[*scope.Array] // of defined arrays that read each other
	networks   map[*scope.Function]*scope.Network
	priors     []*weightPrior
	groups     map[string]*model.Index // of ragged data: the index of their groups, by lengths and set
}
