// Package compiler is the public interface of the compiler: it turns the source of a model and its data into a density
// that samplers and the command line use.
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
	"ppl/compiler/datasets/datafile/content"
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

// A DataArg is one --data flag: NAME=PATH, or PATH alone (Name empty) for a file whose entries are arrays by name.
type DataArg = bind.Arg

// Check parses and checks a model without data. The model is nil if there are errors.
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
	if diag.HasErrors(ds) { // a warning may be caused by a statement that could not be parsed
		more = slices.DeleteFunc(more, func(d diag.Diagnostic) bool { return d.Severity != diag.Error })
	}
	ds = diag.Sorted(slices.Concat(ds, more))
	if diag.HasErrors(ds) {
		return nil, ds
	}
	return m, ds
}

// parsed returns the syntax tree of a model's file, or nil if the file cannot be read.
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

// isModel reports whether a file has the extension of a model.
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
	if !strings.HasSuffix(path, ".ppl") { // an error message about another kind of file could reveal its content
		return nil, fmt.Errorf("%s cannot be imported: the name of an imported file must end in .ppl", path)
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

// A Program is a model with its data. It implements infer.Target and provides what the command line prints. It embeds a
// Plan; its own methods are for callers outside the compiler.
type Program struct {
	*plan.Plan
	after  *simulate.Completer                    // nil if all saved variables are functions of the parameters
	logged func() (priors, rows []types.Variable) // caches the descriptions of log densities

	symmetries func() types.Symmetries // caches the symmetries
}

func newProgram(p *plan.Plan) *Program {
	return &Program{Plan: p, after: p.NewCompleter(), logged: sync.OnceValues(p.LogDensities),
		symmetries: sync.OnceValue(p.Symmetries)}
}

// Symmetries returns the changes of coordinates under which the density is invariant.
func (p *Program) Symmetries() types.Symmetries { return p.symmetries() }

// Recentred returns the program with the effects of EffectBlocks parameterised as c says. The values of variables, and
// everything computed after inference, are unchanged.
func (p *Program) Recentred(c types.Centring) *Program {
	out := *p
	out.Plan = p.Plan.Recentred(c)
	return &out
}

// Infer returns the sampler in the model's infer statement, "" if there is none, and its settings as text.
func (p *Program) Infer() (sampler string, settings map[string]string) {
	settings = map[string]string{}
	for _, call := range p.Model().Infer {
		if call.Name == "ode" || call.Name == "sumout" { // options of the model, not of the sampler
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

// OwnScale is a program with the density of the parameters on their own scale: without log-Jacobian, and with
// noncentered parameters on their own scale. The location of a mode depends on this choice. The distribution of draws
// does not, so samplers use a Program.
type OwnScale struct{ *Program }

// Density adds log ρ and log ℓ at the parameters that theta represents to theta's graph.
func (p OwnScale) Density(theta autodiff.Node) (logPrior, logLik autodiff.Node) {
	t := p.Plan.OwnScale(theta)
	return t.Prior, t.Likelihood
}

// Split is Program.Split with log ρ of the parameters on their own scale.
func (p OwnScale) Split(theta, rows autodiff.Node) (logPrior, whole, terms autodiff.Node) {
	return p.OwnScaleSplit(theta, rows)
}

// SplitTraining is Split with the model's random operations of training, such as dropout. Their noise depends on lane
// and step.
func (p *Program) SplitTraining(theta, rows, lane, step autodiff.Node) (logPrior, whole, terms autodiff.Node) {
	return p.Plan.Training(lane, step).Split(theta, rows)
}

// SplitTraining is Program.SplitTraining with log ρ of the parameters on their own scale.
func (p OwnScale) SplitTraining(theta, rows, lane, step autodiff.Node) (logPrior, whole, terms autodiff.Node) {
	return p.Plan.Training(lane, step).OwnScaleSplit(theta, rows)
}

// Random returns the name of the first random operation of training, such as dropout, or "" if there is none.
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

// Values adds all of Saved, then the log densities, to theta's graph. It omits the log densities if rows are streamed
// from a file.
func (p Recorded) Values(theta autodiff.Node) autodiff.Node {
	parts := []autodiff.Node{p.Program.Values(theta)}
	if p.Streams() == 0 { // otherwise this would need all rows at once
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

// Parameters returns the names of the parameters among Saved.
func (p *Program) Parameters() (names []string) {
	for _, c := range p.Coordinates() {
		if name, _, _ := strings.Cut(c.Parameter, "["); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Start draws a starting point: from the prior if it is proper, otherwise dispersed.
func (p *Program) Start(seed uint64, walker int) []float64 {
	return p.Plan.Start(startStream(seed, walker))
}

// Starts returns a function that draws starting points like Start; it is faster for many points.
func (p *Program) Starts(seed uint64) func(walker int) []float64 {
	start := p.Plan.Starts()
	return func(walker int) []float64 { return start(startStream(seed, walker)) }
}

// A Place describes where searches for modes start, relative to draws from the prior.
type Place = plan.Place

// StartsAt returns a function that draws starting points at a place, each from a separate stream of random numbers.
func (p *Program) StartsAt(place Place, seed uint64) func(walker int) []float64 {
	start := p.Plan.StartsAt(place)
	return func(walker int) []float64 { return start(startStream(seed, walker)) }
}

func startStream(seed uint64, walker int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, 0x5eed<<32|uint64(walker)))
}

// StartFrom draws a starting point like Start, except that the given parameters, on their own scale, have their given
// values. The error names a parameter that is unknown, has the wrong shape, is not finite or is outside its support.
func (p *Program) StartFrom(seed uint64, walker int, at map[string]*content.Array) ([]float64, error) {
	values, err := p.valuesOf(at)
	if err != nil {
		return nil, err
	}
	return p.Plan.StartFrom(startStream(seed, walker), values)
}

// Complete computes the elements of values (in the order of Saved) that are known only after inference: draws of
// `generate v ~ D`, draws of summed-out latents, and quantities that depend on these draws.
func (p *Program) Complete(r *rand.Rand, values []float64) { p.CompleteBy(r, r, values) }

// CompleteBy is Complete with one stream of random numbers for latents and another for generated values.
func (p *Program) CompleteBy(latents, r *rand.Rand, values []float64) {
	if p.after != nil {
		p.after.CompleteBy(latents, r, values)
	}
}

// Separate returns the same program with separate state for Complete, so that another goroutine can use it.
func (p *Program) Separate() *Program {
	out := *p
	out.after = p.NewCompleter()
	return &out
}

// A LogProb is a density at given parameter values, on their own scale.
type LogProb = plan.LogProb

// A Value is a named node of a density's graph.
type Value = plan.NamedNode

// An Order is a parameter whose elements are ordered.
type Order = plan.Order

// LogProb evaluates the density at parameter values. The error names a parameter that is missing, unknown, of the wrong
// shape or outside its support.
func (p *Program) LogProb(at map[string]*content.Array) (*LogProb, error) {
	return p.LogProbBy(plan.Interpret, at)
}

// LogProbBy computes a LogProb with another evaluator, such as a device.
func (p *Program) LogProbBy(evaluate plan.Evaluate, at map[string]*content.Array) (*LogProb, error) {
	values, err := p.valuesOf(at)
	if err != nil {
		return nil, err
	}
	return p.Plan.LogProb(values, evaluate)
}

// Rows returns the number of rows over which log ℓ is a sum: the size of the index set over which the observations are
// independent given the parameters. If there is no such set, the error says why.
func (p *Program) Rows() (int, error) {
	if n := p.Plan.Rows(); n > 0 {
		return n, nil
	}
	var why []string
	for _, w := range p.Model().Couplings {
		why = append(why, fmt.Sprintf("%s:%d: %s", w.At.File.Name, w.At.Line(), w.Text))
	}
	switch {
	case len(p.Model().RowSets) > 0:
		return 0, errors.New("the data have no rows")
	case len(why) == 0:
		return 0, errors.New("the model observes no data, so there are no rows to draw minibatches from")
	}
	return 0, fmt.Errorf("minibatch refused: %s", strings.Join(why, "; "))
}
