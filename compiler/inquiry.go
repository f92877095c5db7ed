package compiler

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ppl/autodiff"
	"ppl/compiler/datasets/bind"
	"ppl/compiler/datasets/datafile"
	"ppl/compiler/datasets/dataset"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/check"
	"ppl/compiler/frontend/model"
	"ppl/compiler/plan"
	"ppl/compiler/predict/query"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/lang/parse"
	"ppl/lang/source"
	"ppl/lang/types"
	"ppl/stdlib"
)

// An Inquiry answers questions about a model with its data and the draws saved by a run. Definitions by the user become
// statements of the model for later questions.
type Inquiry struct {
	file    *ast.File
	data    *dataset.Dataset
	saved   []types.Variable
	defined []*query.Query
	drawn   []ast.Stmt // declarations of the variables added by AddVariable
}

// NewInquiry loads a model from its text as it was sampled. path is its original path, to which data files are
// relative. If the data cannot be bound, for example because files are missing, the data stored in the run are used.
func NewInquiry(path, text string, args []DataArg, run SampledRun) (*Inquiry, []diag.Diagnostic) {
	file, ds := parse.File(source.New(path, text))
	if diag.HasErrors(ds) {
		return nil, ds
	}
	m, _, ds := check.Queries(file, importLoader(), nil)
	if diag.HasErrors(ds) {
		return nil, ds
	}
	values, ds := bind.Data(m, filepath.Dir(path), args, datafile.DefaultRowCache())
	if diag.HasErrors(ds) {
		values = heldData(m, run)
		if values != nil {
			ds = nil
		}
	}
	return &Inquiry{file: file, data: values, saved: run.Saved}, errorsAmong(ds)
}

// Saved returns the variables that have draws.
func (q *Inquiry) Saved() []types.Variable { return q.saved }

// Data returns the data arrays that are in memory, and their values.
func (q *Inquiry) Data() (vs []types.Variable, values [][]float64) {
	e := evaluate.New(autodiff.New(), q.data, nil, evaluate.NoSource{}, &diag.List{})
	for _, a := range q.data.Model.Arrays {
		if d, ok := q.data.Arrays[a]; ok && !d.Values.None() {
			vs, values = append(vs, e.Describe(a)), append(values, d.Values.Doubles())
		}
	}
	return vs, values
}

// Parse parses a user's line.
func (q *Inquiry) Parse(line string) (*query.Query, []diag.Diagnostic) {
	return query.Parse(line, q.isFunction)
}

func (q *Inquiry) isFunction(name string) bool {
	for _, s := range q.statements() {
		if d, ok := s.(*ast.Define); ok && slices.ContainsFunc(d.Heads, func(h *ast.Head) bool {
			return h.HasParams && h.Name() == name
		}) {
			return true
		}
	}
	return false
}

// statements returns the statements of the model, the declarations of added variables, and the user's definitions.
func (q *Inquiry) statements() []ast.Stmt {
	all := slices.Concat(q.file.Stmts, q.drawn)
	for _, d := range q.defined {
		all = append(all, d.Define)
	}
	return all
}

// Define adds a definition, or replaces the one with the same name. Later questions may use it.
func (q *Inquiry) Define(d *query.Query) []diag.Diagnostic {
	before := q.defined
	name := d.Define.Heads[0].Name()
	if at, ok := headOf(q.file, name); ok {
		var l diag.List
		l.Errorf(diag.DefinedTwice, d.Define.Heads[0].Span(), "`%s` is a name of the model", name).Related(at,
			"it is defined here").
			Help("define another name")
		return l.All()
	}
	q.defined = append(slices.DeleteFunc(slices.Clone(before), func(o *query.Query) bool {
		return o.Define.Heads[0].Name() == name
	}), d)
	_, _, ds := q.check(nil)
	if diag.HasErrors(ds) {
		q.defined = before
	}
	return ds
}

// AddVariable adds a variable that was drawn elsewhere, such as a prediction; later questions may read it.
func (q *Inquiry) AddVariable(v types.Variable) []diag.Diagnostic {
	slots := make([]string, len(v.Shape))
	for k, n := range v.Shape {
		slots[k] = fmt.Sprintf("1..%d", n)
	}
	left := v.Name
	if len(slots) > 0 {
		left += "[" + strings.Join(slots, ", ") + "]"
	}
	file, ds := parse.File(source.New("query", left+" ~ Flat()"))
	if diag.HasErrors(ds) {
		return ds
	}
	if at, ok := headOf(q.file, v.Name); ok {
		var l diag.List
		l.Errorf(diag.DefinedTwice, at, "`%s` is a name of the model", v.Name).Help("choose another name")
		return l.All()
	}
	q.DropVariable(v.Name)
	q.defined = slices.DeleteFunc(q.defined, func(d *query.Query) bool { return d.Define.Heads[0].Name() == v.Name })
	q.drawn, q.saved = append(q.drawn, file.Stmts...), append(slices.Clone(q.saved), v)
	return nil
}

// DropVariable undoes AddVariable.
func (q *Inquiry) DropVariable(name string) {
	for k, s := range q.drawn {
		if headsOf(s)[0].name == name {
			q.drawn = slices.Delete(slices.Clone(q.drawn), k, k+1)
			q.saved = slices.DeleteFunc(slices.Clone(q.saved), func(v types.Variable) bool { return v.Name == name })
			return
		}
	}
}

// headOf finds the position where a file defines, draws or declares a name.
func headOf(f *ast.File, name string) (source.Span, bool) {
	for _, s := range f.Stmts {
		for _, h := range headsOf(s) {
			if h.name == name {
				return h.at, true
			}
		}
	}
	return source.Span{}, false
}

// A head is a name that a statement defines, draws or declares, and its position.
type head struct {
	name string
	at   source.Span
}

// headsOf returns the names that a statement defines, draws or declares.
func headsOf(s ast.Stmt) (all []head) {
	add := func(heads []*ast.Head) {
		for _, h := range heads {
			all = append(all, head{h.Name(), h.Span()})
		}
	}
	switch s := s.(type) {
	case *ast.Define:
		add(s.Heads)
	case *ast.Draw:
		add(s.Heads)
	case *ast.Data:
		for _, d := range s.Decls {
			all = append(all, head{d.Name.Name, d.Name.Span()})
		}
	}
	return all
}

// Names returns the sorted names that a question may use: of the model, added variables, definitions, and functions.
func (q *Inquiry) Names() (names []string) {
	for _, s := range q.statements() {
		for _, h := range headsOf(s) {
			names = append(names, h.name)
		}
	}
	for name := range stdlib.Funcs() {
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Labels returns the labels of the elements of all axes.
func (q *Inquiry) Labels() (labels []string) {
	for _, l := range q.data.Labels {
		labels = append(labels, l...)
	}
	slices.Sort(labels)
	return slices.Compact(labels)
}

// Describe describes a name: its role, and the line of its statement. ok is false for an unknown name.
func (q *Inquiry) Describe(name string) (text string, ok bool) {
	at, ok := headOf(&ast.File{Stmts: q.statements()}, name)
	if !ok {
		return "", false
	}
	m, _, _ := q.check(nil)
	for _, a := range m.Arrays {
		if a.Name == name {
			text = a.Role.String() + "\n"
		}
	}
	return text + fmt.Sprintf("  %d | %s", at.Line(), at.File.Line(at.Line())), true
}

// Definitions returns the user's definitions as they were written.
func (q *Inquiry) Definitions() (lines []string) {
	for _, d := range q.defined {
		lines = append(lines, strings.TrimSpace(d.Source.Text))
	}
	return lines
}

func (q *Inquiry) check(xs []ast.Expr) (*model.Model, []model.Expr, []diag.Diagnostic) {
	f := *q.file
	f.Stmts = q.statements()
	m, exprs, ds := check.Queries(&f, importLoader(), xs)
	return m, exprs, slices.DeleteFunc(ds, func(d diag.Diagnostic) bool { return d.Severity != diag.Error })
}

// A Question is a compiled query, which is evaluated for each draw.
type Question struct {
	asked      plan.Asked
	completion *Completion // used instead of asked for a question about discrete unknowns
	variable   types.Variable
	bounds     [2]float64 // lower and upper bound of its values
	truth      bool       // whether it is a condition
	given      bool
}

// Ask compiles a query about draws.
func (q *Inquiry) Ask(line *query.Query) (*Question, []diag.Diagnostic) {
	xs := []ast.Expr{line.X}
	if line.Given != nil {
		xs = append(xs, line.Given)
	}
	m, exprs, ds := q.check(xs)
	if !diag.HasErrors(ds) {
		ds = append(ds, fits(line, exprs)...)
	}
	if diag.HasErrors(ds) {
		return nil, line.Relocate(overDraws(line.X, ds))
	}
	t := exprs[0].Info().Type
	question := &Question{bounds: [2]float64{t.Range.Lo, t.Range.Hi}, truth: plan.IsTruth(exprs[0]),
		given: line.Given != nil}
	if readsLatents(q.saved, exprs) {
		question.completion, question.variable, ds = q.complete(xs)
	} else if question.asked, ds = plan.Ask(q.data.For(m), q.saved, exprs); !diag.HasErrors(ds) {
		question.variable = question.asked.Variables[0]
	}
	if diag.HasErrors(ds) {
		return nil, line.Relocate(ds)
	}
	return question, nil
}

// AskUndefined compiles the question in which draws a condition compares NaN. It returns nil if the query is not a
// condition, or is about discrete unknowns.
func (q *Inquiry) AskUndefined(line *query.Query) *Question {
	x := query.Undefined(line.X)
	if x == nil {
		return nil
	}
	of := *line
	of.X, of.Given, of.Form = x, nil, query.Probability
	question, ds := q.Ask(&of)
	if diag.HasErrors(ds) || question == nil || question.completion != nil {
		return nil
	}
	return question
}

// overDraws adds advice to an error about a call such as mean(mu) for a scalar mu: the user probably means the mean
// over the draws.
func overDraws(x ast.Expr, ds []diag.Diagnostic) []diag.Diagnostic {
	call, ok := x.(*ast.Call)
	if !ok || len(ds) != 1 || len(call.Args) == 0 || ds[0].Span != call.Args[0].Value.Span() {
		return ds
	}
	arg := call.Args[0].Value.Span().Text()
	switch call.Fun.Span().Text() {
	case "mean", "sd", "median", "variance", "var":
		ds[0].Help = fmt.Sprintf("for statistics over the draws, ask for `%s`; the answer includes mean, sd and "+
			"interval", arg)
	case "quantile":
		ds[0].Help = fmt.Sprintf("for quantiles over the draws, use `ppl summary RUN %s --quantiles 0.1,0.9`", arg)
	}
	return ds
}

// fits reports errors for expressions that do not fit the form of the query.
func fits(line *query.Query, exprs []model.Expr) []diag.Diagnostic {
	var l diag.List
	x := exprs[0].Info()
	switch {
	case line.Form == query.Probability && !plan.IsTruth(exprs[0]):
		l.Errorf(diag.WrongKind, x.At, "`P` takes a condition, such as `P(%s > 0)`", x.At.Text())
	case line.Form == query.Rank && len(x.Type.Axes) != 1:
		l.Errorf(diag.WrongKind, x.At, "`rank` compares the elements of a vector; `%s` is not a vector", x.At.Text())
	}
	if line.Given != nil {
		if g := exprs[1].Info(); len(g.Type.Axes) > 0 || !plan.IsTruth(exprs[1]) {
			l.Errorf(diag.WrongKind, g.At, "after `|` there must be one condition, such as `tau < 3`")
		}
	}
	return l.All()
}

// Reads returns the saved variables that the question reads.
func (q *Question) Reads() []types.Variable { return q.asked.Reads }

// Variable describes the result: its shape, and the names of its elements.
func (q *Question) Variable() types.Variable { return q.variable }

// Completion returns the answer to a question about discrete unknowns, for which Value must not be called. It returns
// nil for other questions.
func (q *Question) Completion() *Completion { return q.completion }

// IsTruth reports whether the values are truth values, 1 or 0.
func (q *Question) IsTruth() bool { return q.truth }

// Bounds returns numbers between which all values are known to be.
func (q *Question) Bounds() (lo, hi float64) { return q.bounds[0], q.bounds[1] }

// Work returns the approximate number of elements that are computed for each draw.
func (q *Question) Work() (n int) {
	for _, v := range q.asked.Values[0].Graph().Nodes() {
		n += v.Size()
	}
	return n
}

// Value returns the elements lo ≤ i < hi of the result and the condition of the query. A draw counts if the condition
// is not 0; without a condition, the second node is invalid. The graph has an Input for each of Reads.
func (q *Question) Value(lo, hi int) (elements, condition autodiff.Node) {
	elements = autodiff.Slice(q.asked.Values[0], []int{lo}, []int{hi})
	if q.given {
		condition = q.asked.Values[1]
	}
	return elements, condition
}
