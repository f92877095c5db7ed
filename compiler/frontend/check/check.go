// Package check turns a syntax tree into a checked model: it derives the role of each name from the equations, gives
// every expression a type and axes, matches axes by index set, inlines functions, and reports all mistakes at once.
//
// It works name by name: the statements of a name are elaborated when something first reads it. So statements may be in
// any order, and a name that is read while it is being elaborated is part of a cycle. In
//
//	y[n in N] ~ Normal(mu[g[n]], sigma)      y:     data over N, observed
//	mu[J] ~ Normal(0, 10)                    mu:    parameter over J, real
//	sigma ~ HalfNormal(1)                    sigma: parameter, in 0..inf
//	data y[N], g[N]: index(J)                g:     data over N, integers in 1..J
//
// the first statement causes y, mu, g and sigma to be elaborated before its own term; the right column shows the
// results. Each mistake in a name is reported once: a rejected expression is marked as poison, and expressions that
// read it report nothing.
//
// The files of this package call each other recursively, like those of go/types and for the same reason: an expression
// may read a name, whose statements contain expressions, inside functions, templates and blocks. Code that needs no
// such recursion is in other packages: types of operands (typing), meaning of names (scope), parts of arrays (pieces),
// modifiers, differential equations (odes), advice, mistakes in the finished model (lint), and its analyses (analyze).
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

// File checks a parsed file; load parses its imports. The model is usable only if no diagnostic is an error. If some
// statements could not be parsed, File still finds the errors in the others.
func File(f *ast.File, load Loader) (*model.Model, []diag.Diagnostic) {
	c := newChecker(f, load)
	c.elaborateAll()
	c.finish()
	return c.Model, c.Diags.All()
}

// elaborateAll builds the model from a file's statements.
func (c *checker) elaborateAll() {
	c.elaborate(c.global)                         // names, types, axes and terms
	c.unusedPriors()                              // reports priors of weights that do not exist
	c.equations.Join()                            // joins differential equations that read each other
	c.factorsOfPrior()                            // decides whether factors belong to the prior
	typing.SettleAll(c.Model)                     // which expressions depend on data only
	flatten.Arrays(c.Model, &c.Diags, c.NewIndex) // flattens arrays with an axis whose bounds depend on an index
	if !c.Diags.HasErrors() {
		c.wholeRagged() // rejects the remaining uses of such axes
	}
	analyze.CompleteMissing(c.Model) // missing counts that are read only after inference
}

// finish runs the steps that need all names: the analyses of the finished model, and the warnings about names.
func (c *checker) finish() {
	m, diags := c.Model, &c.Diags
	analyze.ByElement(m, c.NewIndex)     // gives definitions of entire arrays in series an index
	cycle := analyze.Cycles(m, diags)    // arrays drawn from each other, which the next analyses skip
	analyze.Recurrences(m, diags, cycle) // in which order elements are computed
	analyze.BeforeStart(m, diags)        // recurrences without a first value
	analyze.Orders(m, diags, cycle)      // in which order elements are drawn
	analyze.Latents(m, diags)            // where terms read discrete unknowns
	analyze.Generated(m, diags)
	analyze.Observations(m, diags)
	lint.RefuseDomains(m, diags)
	if diags.HasErrors() || len(c.dropped) > 0 {
		return // warnings about a model with errors would mislead
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

// hints returns the data from which advice about the file is built.
func (c *checker) hints() advice.Hints {
	return advice.Hints{Global: c.global, Sizes: c.sizes, Model: c.Model}
}

// Predictive checks a file like File, and makes the model draw its data (analyze.Predictive).
func Predictive(f *ast.File, load Loader, from analyze.Basis) (*model.Model, []diag.Diagnostic) {
	c := newChecker(f, load)
	c.elaborateAll()
	if c.Diags.HasErrors() {
		return nil, c.Diags.All()
	}
	c.optionalData()
	var diags diag.List // warnings are left to File
	analyze.Predictive(c.Model, &diags, from)
	return c.Model, diags.All()
}

// newChecker returns a checker that has collected the names of a file but has not elaborated any of them.
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
	sizes      map[string]*model.Size // sizes of index sets that data give
	unknowns   int                    // number of undefined names reported so far
	depth      int                    // number of nested calls being inlined
	written    int                    // number of bodies of functions and templates inlined so far
	load       Loader
	importing  []*ast.File                // files being imported, outermost first
	imported   map[*ast.File]*scope.Scope // imported files; a file that is named twice is processed once
	primes     map[string]bool            // names that have a derivative
	factors    int                        // number of factor statements
	equations  *odes.Equations
	mentioned  map[string]bool              // names that occur in an expression
	quantities map[string]bool              // names that statements declare, define or draw
	dropped    map[string]bool              // names in statements that could not be parsed
	unknown    map[string]bool              // unknown functions that have been reported
	open       []*scope.Array               // definitions being elaborated, outermost first
	cycles     *cycles.Finder[*scope.Array] // finds defined arrays that read each other
	networks   map[*scope.Function]*scope.Network
	priors     []*weightPrior
	groups     map[string]*model.Index // for ragged data, the index of the groups, by lengths and set
}
