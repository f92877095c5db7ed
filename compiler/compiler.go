// Package compiler is the front door: a model's source and its data become a density that samplers and the command line
// use.
package compiler

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"ppl/autodiff"
	"ppl/compiler/datasets/bind"
	"ppl/compiler/datasets/datafile"
	"ppl/compiler/frontend/check"
	"ppl/compiler/frontend/model"
	"ppl/compiler/plan"
	"ppl/compiler/predict/simulate"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/lang/parse"
	"ppl/lang/source"
	"ppl/lang/types"
)

// A DataArg is one --data flag: NAME=PATH, or PATH alone (Name empty) for a file whose entries give arrays by name.
type DataArg = bind.Arg

// Check parses and checks a model without data. The model is nil when there are errors.
func Check(path string) (*model.Model, []diag.Diagnostic) {
	file, ds := parsed(path)
	if file == nil {
		return nil, ds
	}
	return CheckTree(file, ds)
}

// CheckText checks the text of a model as if it were the file at path, which need not exist.
func CheckText(path, text string) (*model.Model, []diag.Diagnostic) {
	return CheckTree(parse.File(source.New(path, text)))
}

// CheckTree checks a parsed model; ds are the diagnostics of the parser.
func CheckTree(file *ast.File, ds []diag.Diagnostic) (*model.Model, []diag.Diagnostic) {
	m, more := check.File(file, importLoader())
	if diag.HasErrors(ds) { // what could not be parsed may be what a warning misses
		more = slices.DeleteFunc(more, func(d diag.Diagnostic) bool { return d.Severity != diag.Error })
	}
	ds = diag.Sorted(slices.Concat(ds, more))
	if diag.HasErrors(ds) {
		return nil, ds
	}
	return m, ds
}

// parsed returns the tree of a model's file, nil if the file cannot be read.
func parsed(path string) (*ast.File, []diag.Diagnostic) {
	text, err := source.ReadModel(path)
	if err != nil {
		d := diag.Diagnostic{Code: diag.Syntax, Message: fmt.Sprintf("cannot read the model: %v", err)}
		if near, ok := diag.NearestFile(path, isModel); ok && errors.Is(err, fs.ErrNotExist) {
			d.Help = diag.Meant("%s", near)
		}
		return nil, []diag.Diagnostic{d}
	}
	return parse.File(source.New(path, text))
}

// isModel reports whether a file has the ending of a model.
func isModel(path string) bool { return filepath.Ext(path) == ".ppl" }

// importLoader returns a function that parses the files that a model imports, each once. Paths are relative to the
// importing file.
func importLoader() check.Loader {
	read := map[string]*ast.File{}
	return func(from *source.File, path string) (*ast.File, error) {
		name := filepath.Join(filepath.Dir(from.Name), filepath.FromSlash(path))
		if file := read[name]; file != nil {
			return file, nil
		}
		file, err := parsedImport(name, path)
		read[name] = file
		return file, err
	}
}

func parsedImport(name, path string) (*ast.File, error) {
	if !strings.HasSuffix(path, ".ppl") { // the message of a mistake in another file could show what is in it
		return nil, fmt.Errorf("%s cannot be imported: a file with functions and templates has a name that ends in "+
			".ppl", path)
	}
	text, err := source.ReadModel(name)
	if err != nil {
		return nil, fmt.Errorf("cannot import: %w", err)
	}
	file, ds := parse.File(source.New(name, text))
	for _, d := range ds {
		if d.Severity == diag.Error {
			return nil, fmt.Errorf("%s line %d: %s", name, d.Span.Line(), d.Message)
		}
	}
	return file, nil
}

// A Program is a model with its data: an infer.Target and what the command line prints. It has the methods of its Plan;
// those that it has itself are written for callers outside of the compiler.
type Program struct {
	*plan.Plan
	after  *simulate.Completer                    // nil when everything saved is a function of the parameters
	logged func() (priors, rows []types.Variable) // describes what plan.Pointwise emits; called once, it remembers

	symmetries func() types.Symmetries // called once, it remembers
}

func newProgram(p *plan.Plan) *Program {
	return &Program{Plan: p, after: p.NewCompleter(), logged: sync.OnceValues(p.LogDensities),
		symmetries: sync.OnceValue(p.Symmetries)}
}

// Symmetries returns the changes of coordinates under which the density is invariant.
func (p *Program) Symmetries() types.Symmetries { return p.symmetries() }

// Recentred returns the program with other coordinates for its effects (EffectBlocks). Values, and everything computed
// after inference, are unchanged.
func (p *Program) Recentred(c types.Centring) *Program {
	out := *p
	out.Plan = p.Plan.Recentred(c)
	return &out
}

// Infer returns the sampler's name in the model's infer statement, "" if none, and its settings as text.
func (p *Program) Infer() (sampler string, settings map[string]string) {
	settings = map[string]string{}
	for _, call := range p.Model().Infer {
		if call.Name == "ode" || call.Name == "sumout" { // of the model, not of the sampler
			continue
		}
		sampler = call.Name
		for _, a := range call.Args {
			settings[a.Name] = a.Value
		}
	}
	return sampler, settings
}

// Density adds log ρ (with log-Jacobian) and log ℓ at theta to theta's graph.
func (p *Program) Density(theta autodiff.Node) (logPrior, logLik autodiff.Node) {
	t := p.Terms(theta)
	return autodiff.Add(t.Prior, t.Jacobian), t.Likelihood
}

// OwnScale is a program as the density of its parameters on their own scale: without log-Jacobian, and with noncentered
// parameters as they are. A mode depends on that; draws do not, and are made from a Program.
type OwnScale struct{ *Program }

// Density adds log ρ and log ℓ at the parameters that theta represents.
func (p OwnScale) Density(theta autodiff.Node) (logPrior, logLik autodiff.Node) {
	t := p.Plan.OwnScale(theta)
	return t.Prior, t.Likelihood
}

// Split is Program.Split with log ρ of the parameters on their own scale.
func (p OwnScale) Split(theta, rows autodiff.Node) (logPrior, whole, terms autodiff.Node) {
	return p.OwnScaleSplit(theta, rows)
}

// SplitTraining is Split with what the model changes at random in training, by noise at the address of a lane and a
// step.
func (p *Program) SplitTraining(theta, rows, lane, step autodiff.Node) (logPrior, whole, terms autodiff.Node) {
	return p.Plan.Training(lane, step).Split(theta, rows)
}

// SplitTraining is Program.SplitTraining with log ρ of the parameters on their own scale.
func (p OwnScale) SplitTraining(theta, rows, lane, step autodiff.Node) (logPrior, whole, terms autodiff.Node) {
	return p.Plan.Training(lane, step).OwnScaleSplit(theta, rows)
}

// Random describes the first random operation of training, such as dropout; it returns "" if there is none.
func (p *Program) Random() string {
	if r := p.Randoms(); len(r) > 0 {
		return r[0].How
	}
	return ""
}

// A Recorded is a program whose Values are followed by the log densities that a run stores: of each prior and, if
// EachRow is set, of each row of the data.
type Recorded struct {
	*Program
	EachRow bool
}

// Values adds all of Saved, then the log densities, to theta's graph.
func (p Recorded) Values(theta autodiff.Node) autodiff.Node {
	parts := []autodiff.Node{p.Program.Values(theta)}
	if p.Streams() == 0 { // else it would take all rows at once
		at := p.Pointwise(theta)
		kept := at.Priors
		if p.EachRow {
			kept = append(kept, at.Rows...)
		}
		for _, k := range kept {
			parts = append(parts, autodiff.Reshape(k.Node, k.Node.Size()))
		}
	}
	return autodiff.Concat(0, parts...)
}

// LogDensities describes the log densities that follow Saved in the Values of a Recorded: first those of the priors,
// then those of the rows of each observation.
func (p *Program) LogDensities() (priors, rows []types.Variable) { return p.logged() }

// Parameters returns the names of those of Saved that are parameters.
func (p *Program) Parameters() (names []string) {
	for _, c := range p.Coordinates() {
		if name, _, _ := strings.Cut(c.Parameter, "["); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Start draws a point to begin at: from the prior where it is proper, else dispersed.
func (p *Program) Start(seed uint64, walker int) []float64 {
	return p.Plan.Start(startStream(seed, walker))
}

// Starts returns a function that draws starting points as Start does; it is faster for many points.
func (p *Program) Starts(seed uint64) func(walker int) []float64 {
	start := p.Plan.Starts()
	return func(walker int) []float64 { return start(startStream(seed, walker)) }
}

// A Place describes where searches for modes start, relative to draws from the prior.
type Place = plan.Place

// StartsAt returns a function that draws points at a place. Each point has a separate stream of random numbers.
func (p *Program) StartsAt(place Place, seed uint64) func(walker int) []float64 {
	start := p.Plan.StartsAt(place)
	return func(walker int) []float64 { return start(startStream(seed, walker)) }
}

func startStream(seed uint64, walker int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, 0x5eed<<32|uint64(walker)))
}

// StartFrom draws a starting point as Start does, except that the given parameters, on their own scale, have their
// given values. An error names a parameter that is unknown, has the wrong shape, is not finite or lies outside its
// support.
func (p *Program) StartFrom(seed uint64, walker int, at map[string]*datafile.Array) ([]float64, error) {
	values, err := p.valuesOf(at)
	if err != nil {
		return nil, err
	}
	return p.Plan.StartFrom(startStream(seed, walker), values)
}

// Complete fills in the elements of values (in the order of Saved) that are known only after inference: what is drawn
// by `generate v ~ D`, draws of summed-out latents, and what reads them.
func (p *Program) Complete(r *rand.Rand, values []float64) { p.CompleteBy(r, r, values) }

// CompleteBy completes values as Complete does, with one stream of random numbers for latents and another for
// generated values.
func (p *Program) CompleteBy(latents, r *rand.Rand, values []float64) {
	if p.after != nil {
		p.after.CompleteBy(latents, r, values)
	}
}

// A LogProb is a density at given parameter values, on their own scale.
type LogProb = plan.LogProb

// A Value is a node of a density, and its name.
type Value = plan.NamedNode

// An Order is a parameter whose elements are in order.
type Order = plan.Order

// LogProb evaluates the density at parameter values; an error names a parameter that is missing, unknown, of the wrong
// shape or outside its support.
func (p *Program) LogProb(at map[string]*datafile.Array) (*LogProb, error) {
	return p.LogProbBy(plan.Interpret, at)
}

// LogProbBy computes a LogProb with another evaluator, such as a device.
func (p *Program) LogProbBy(evaluate plan.Evaluate, at map[string]*datafile.Array) (*LogProb, error) {
	values, err := p.valuesOf(at)
	if err != nil {
		return nil, err
	}
	return p.Plan.LogProb(values, evaluate)
}

// Rows returns the number of rows over which log ℓ is a sum: the size of the model's row set with these data. The
// error names what couples the rows.
func (p *Program) Rows() (int, error) {
	if n := p.Plan.Rows(); n > 0 {
		return n, nil
	}
	var why []string
	for _, w := range p.Model().Couplings {
		why = append(why, fmt.Sprintf("%s:%d: %s", w.At.File.Name, w.At.Line(), w.Text))
	}
	if len(why) == 0 {
		return 0, errors.New("the model observes no data, so there are no rows to draw minibatches from")
	}
	return 0, fmt.Errorf("minibatch refused: %s", strings.Join(why, "; "))
}
