package compiler

import (
	"path/filepath"

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

// A Request says which model is compiled, with which data, and for what:
//
//	p, ds := compiler.Load(compiler.Request{Path: "schools.ppl", Data: []compiler.DataArg{{Path: "schools.json"}}})
type Request struct {
	Path    string      // the model's file; of a Text, the file that it would be in, to which other files are relative
	Text    string      // the model's text; if it is empty, the file is read
	Data    []DataArg   // files with data, besides those that the model names
	Run     *SampledRun // if it is not nil, what this run holds are the data, and no file is read
	Cache   *RowCache   // for files that are too large for memory; nil: DefaultRowCache
	Predict Basis       // what the model's data are drawn from; 0: the density of the model is wanted

	Expect *Expectation // if it is not nil, predictions are expected values
}

// An Expectation asks for the expected values of what is observed instead of draws of it; of categories for the
// probability of one, unless that is 0.
type Expectation struct{ Category int }

// A RowCache says which data files are too large to be read whole, and where their rows are kept.
type RowCache = datafile.RowCache

// DefaultRowCache has the memory of the machine, or what Go was given of it, and the user's cache directory.
func DefaultRowCache() RowCache { return datafile.DefaultRowCache() }

// LargeData says, a line for each, which files that a model names are too large to be read whole.
func LargeData(m *model.Model, path string, cache RowCache) []string {
	return bind.LargeData(m, filepath.Dir(path), cache)
}

// A Basis says what the draws of a predictive program take as given.
type Basis = analyze.Basis

// What predictions may take as given: nothing; draws of the parameters, and the data; draws of the parameters alone.
const (
	FromPrior      = analyze.FromPrior
	FromPosterior  = analyze.FromPosterior
	FromParameters = analyze.FromParameters
)

// Load checks a model, binds its data and resolves its sizes. The program is nil if there are errors, or if the run of
// the request does not hold all data. Diagnostics of a model that predicts are about the new draws; those of its
// density have the warnings about the model itself.
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
	p, more := program(m, r.Path, r.Data, r.cache())
	if r.Predict != 0 {
		more = errorsAmong(more)
	}
	return p, append(ds, more...)
}

// CheckWithData checks a model, and binds its data if every array is available: given by the request, or in the model
// and in files that it names, which are there and not too large for memory. The program is nil without them.
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

// check gives the checked model, nil if there are errors.
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

// parse gives the tree of the model, nil if its file cannot be read.
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
