package compiler

import (
	"path/filepath"
	"strings"

	"ppl/compiler/datasets/bind"
	"ppl/compiler/datasets/datafile"
	"ppl/compiler/frontend/analyze"
	"ppl/compiler/frontend/check"
	"ppl/compiler/frontend/model"
	"ppl/compiler/plan"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/lang/parse"
	"ppl/lang/source"
)

// A Request states which model to compile, with which data, and for what purpose:
//
//	p, ds := compiler.Load(compiler.Request{Path: "schools.ppl", Data: []compiler.DataArg{{Path: "schools.json"}}})
type Request struct {
	Path    string      // the model's file; other files are relative to it
	Text    string      // the model's text; if empty, the file is read
	Data    []DataArg   // files with data, in addition to those that the model names
	Run     *SampledRun // if not nil, the data are those held by this run, and no data file is read
	Root    string      // if not empty, replaces "/" in absolute paths that the model names (Below)
	Cache   *RowCache   // for files that are too large for memory; nil for DefaultRowCache
	Predict Basis       // basis of predictions; 0 if the density of the model is wanted

	Expect *Expectation // if not nil, predictions are expected values
}

// An Expectation requests expected values of observations instead of draws. If Category is not 0, the expected value of
// a categorical observation is the probability of this category.
type Expectation struct{ Category int }

// A RowCache decides which data files are too large for memory, and where their rows are cached.
type RowCache = datafile.RowCache

// DefaultRowCache uses the memory limit of Go or the memory of the machine, and the user's cache directory.
func DefaultRowCache() RowCache { return datafile.DefaultRowCache() }

// LargeData describes, one per line, the files named by a model that are too large for memory.
func LargeData(m *model.Model, path string, cache RowCache) []string {
	return bind.LargeData(m, filepath.Dir(path), cache)
}

// A Basis selects the quantities that predictions are conditioned on.
type Basis = analyze.Basis

// Predictions are conditioned on nothing, on a draw of the parameters and the data, or on a draw of the parameters
// alone.
const (
	FromPrior      = analyze.FromPrior
	FromPosterior  = analyze.FromPosterior
	FromParameters = analyze.FromParameters
)

// Load checks a model, binds its data and resolves its sizes. The program is nil if there are errors, or if the run of
// the request does not hold all data. For predictions, warnings are omitted; loading the density of the model gives
// these.
func Load(r Request) (*Program, []diag.Diagnostic) {
	m, ds := r.check()
	switch {
	case m == nil || diag.HasErrors(ds):
		return nil, ds
	case r.Run != nil:
		p, more := heldProgram(m, *r.Run)
		if r.Predict == 0 {
			return p, more
		}
		return p, append(ds, more...)
	}
	r.relocate(m)
	p, more := program(m, r.Path, r.Data, r.cache())
	if r.Predict != 0 {
		more = errorsAmong(more)
	}
	return p, append(ds, more...)
}

// relocate changes the absolute paths in a model to those below Root.
func (r Request) relocate(m *model.Model) {
	if r.Root == "" {
		return
	}
	for _, a := range m.Arrays {
		path, key, keyed := strings.Cut(a.From, "#")
		if !filepath.IsAbs(path) {
			continue
		}
		a.From = Below(r.Root, path)
		if keyed {
			a.From += "#" + key
		}
	}
}

// CheckWithData checks a model. It also binds the data if the request has data files, or if all data are in the model
// or in existing files that fit in memory. Otherwise, or if there are errors, the program is nil.
func CheckWithData(r Request) (m *model.Model, p *Program, ds []diag.Diagnostic) {
	m, ds = r.check()
	switch more := []diag.Diagnostic(nil); {
	case m == nil:
	case len(r.Data) > 0 || bind.Available(m, filepath.Dir(r.Path), r.cache()):
		p, more = program(m, r.Path, r.Data, r.cache())
		ds = append(ds, more...)
	default:
		ds = append(ds, bind.Absent(m, filepath.Dir(r.Path), r.cache())...)
	}
	return m, p, ds
}

// check returns the checked model. If a diagnostic is an error, the model must not be used; it may be nil.
func (r Request) check() (*model.Model, []diag.Diagnostic) {
	file, ds := r.parse()
	switch {
	case file == nil:
		return nil, ds
	case r.Predict == 0:
		return CheckTree(file, ds)
	case diag.HasErrors(ds):
		return nil, ds
	}
	m, ds := check.Predictive(file, importLoader(), r.Predict)
	ds = diag.Sorted(ds)
	if r.Expect == nil || diag.HasErrors(ds) {
		return m, ds
	}
	var diags diag.List
	analyze.Expect(m, r.Expect.Category, &diags)
	if len(diags.All()) > 0 {
		return nil, diags.All()
	}
	return m, nil
}

// parse returns the syntax tree of the model, or nil if its file cannot be read.
func (r Request) parse() (*ast.File, []diag.Diagnostic) {
	if r.Text == "" {
		return parsed(r.Path)
	}
	return parse.File(source.New(r.Path, r.Text))
}

func (r Request) cache() RowCache {
	if r.Cache == nil {
		return DefaultRowCache()
	}
	return *r.Cache
}

// program binds a checked model to its data.
func program(m *model.Model, path string, args []DataArg, cache RowCache) (*Program, []diag.Diagnostic) {
	bound, ds := bind.Data(m, filepath.Dir(path), args, cache)
	if diag.HasErrors(ds) {
		return nil, ds
	}
	plan, more := plan.NewPlan(bound)
	ds = append(ds, more...)
	if diag.HasErrors(ds) {
		return nil, ds
	}
	return newProgram(plan), ds
}
