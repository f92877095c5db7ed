package main

import (
	"encoding/json"
	"errors"
	"log"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"gonum.org/v1/gonum/floats"

	"ppl/experiments/lab"
	"ppl/posterior/diagnose"
	"ppl/posterior/store"
	"ppl/posterior/summary"
)

// A model is one of the examples or a random model. Its predictors come from the example; its observations are
// simulated.
type model struct {
	name    string
	rows    bool    // enough rows for minibatches
	as      string  // name of the data from which the model computes its observations; "" if it reads them directly
	scale   float64 // divisor in this computation
	file    string  // file of a random model; "" for examples
	sampled string  // file of the model to sample, if it has a deliberate error
	seed    int     // seed of the prior; random models need different seeds, or they would share parameter values
}

func examples() []model {
	return []model{{name: "calibration"}, {name: "challenger"}, {name: "coal"}, {name: "earthquakes"},
		{name: "eight_schools"}, {name: "elimination"}, {name: "exam"}, {name: "fishing"},
		{name: "galaxies", as: "velocity", scale: 1000}, {name: "influenza"}, {name: "nile"}, {name: "occupancy"},
		{name: "parasites"}, {name: "pumps"}, {name: "radon", rows: true},
		{name: "rats"}, {name: "ryegrass"}, {name: "seeds"}, {name: "slopes", rows: true}, {name: "stackloss"}}
}

// A sampler is a name with flags of ppl sample.
type sampler struct {
	name  string
	flags []string
	rows  bool // only for models with many rows
}

func samplers() []sampler {
	return []sampler{{name: "renhd", flags: []string{"--sampler", "renhd"}},
		{name: "nuts", flags: []string{"--sampler", "nuts"}},
		{name: "minibatches of 64", flags: []string{"--set", "batch=64"}, rows: true}}
}

func (s sampler) takes(m model) bool { return m.rows || !s.rows }

// thinned is the number of draws for a rank. Draws this far apart are nearly independent.
const thinned = 99

// An experiment caches the prior draws of each model.
type experiment struct {
	*lab.Bench
	limit  time.Duration // limit of processor time for each run
	priors map[string]prior
}

// A prior has draws of the parameters and of the data of a model. Each row is a draw.
type prior struct {
	parameters, data map[string]drawn
	complete         []int // draws with valid data; replicate i uses the i-th of them
}

type drawn struct {
	shape  []int // shape of a row
	values []float64
}

func (d drawn) at(row int) []float64 {
	size := 1
	for _, n := range d.shape {
		size *= n
	}
	return d.values[row*size : (row+1)*size]
}

// sample runs a sampler on a data set from the prior. A failed run is also a result.
func (e experiment) sample(m model, s sampler, replicate int) (run, error) {
	r := run{Model: m.name, Sampler: s.name, Replicate: replicate}
	p, err := e.prior(m)
	if err != nil {
		return r, err
	}
	if replicate >= len(p.complete) {
		return r, errors.New("the prior has too few draws with data")
	}
	at := p.complete[replicate]
	data, err := e.JSON("data.json", m.data(p, at))
	if err != nil {
		return r, err
	}
	out := e.Path("run")
	sampled := m.path()
	if m.sampled != "" {
		sampled = m.sampled
	}
	cpu, overtime, err := e.CommandWithin(e.limit, append([]string{"sample", sampled, "--data", data, "--seed",
		strconv.Itoa(replicate + 1), "--quiet", "--overwrite", "--out", out}, s.flags...)...)
	r.Seconds, r.Overtime = cpu.Seconds(), overtime
	if err != nil {
		r.Said = err.Error()
		return r, nil
	}
	of, err := store.Open(out)
	if err != nil {
		return r, err
	}
	said, err := diagnose.Summarize(of, summary.View{})
	if err != nil {
		return r, err
	}
	r.RHat = said.Worst().RHat
	if isNotFinite(r.RHat) { // JSON has no infinite numbers
		r.RHat = math.MaxFloat64
	}
	for _, w := range said.Warnings {
		r.Warnings = append(r.Warnings, w.String())
	}
	r.Ranks, err = e.ranks(m, of, p, at, data)
	return r, err
}

func (m model) path() string {
	if m.file != "" {
		return m.file
	}
	return filepath.Join("examples", m.name+".ppl")
}

// prior draws from the prior on first use. It ignores draws without valid data, for example where an equation has no
// solution and the density is 0 for any data, and draws with infinite values.
func (e experiment) prior(m model) (prior, error) {
	if p, ok := e.priors[m.name]; ok {
		return p, nil
	}
	number := 1000
	if m.file != "" {
		number = 100
	}
	dir := e.Path(m.name)
	if _, _, err := e.Command("predict", m.path(), "--draws", strconv.Itoa(number), "--seed",
		strconv.Itoa(max(1, m.seed)), "--quiet", "--out", dir); err != nil {
		return prior{}, err
	}
	of, err := store.Open(dir)
	if err != nil {
		return prior{}, err
	}
	p := prior{parameters: map[string]drawn{}, data: map[string]drawn{}}
	for _, v := range of.Layout.Prior {
		all, err := of.Prior(v.Name)
		if err != nil {
			return prior{}, err
		}
		p.parameters[v.Name] = drawn{v.Shape, all[0]}
	}
	for _, v := range of.Layout.PriorPredictive {
		all, err := of.PriorPredictive(v.Name)
		if err != nil {
			return prior{}, err
		}
		p.data[v.Name] = drawn{v.Shape, all[0]}
	}
	for row := range number {
		whole := true
		for _, part := range []map[string]drawn{p.data, p.parameters} {
			for _, d := range part {
				whole = whole && !slices.ContainsFunc(d.at(row), isNotFinite)
			}
		}
		if whole {
			p.complete = append(p.complete, row)
		}
	}
	e.priors[m.name] = p
	return p, nil
}

func isNotFinite(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }

// data maps the names of the observed data to their values in a row of the prior.
func (m model) data(p prior, row int) map[string]any {
	values := map[string]any{}
	for name, d := range p.data {
		xs := d.at(row)
		if m.as != "" {
			name, xs = m.as, slices.Clone(xs)
			floats.Scale(m.scale, xs)
		}
		values[name] = shaped(xs, d.shape)
	}
	return values
}

// shaped converts elements in row-major order to nested arrays.
func shaped(xs []float64, shape []int) any {
	if len(shape) == 0 {
		return xs[0]
	}
	if len(shape) == 1 {
		return xs
	}
	out, each := make([]any, shape[0]), len(xs)/shape[0]
	for i := range out {
		out[i] = shaped(xs[i*each:(i+1)*each], shape[1:])
	}
	return out
}

// ranks returns the ranks of the first and the last element of each true parameter, and of the log likelihood at the
// true parameters.
func (e experiment) ranks(m model, of *store.Run, p prior, row int, data string) (map[string]float64, error) {
	ranks, truth := map[string]float64{}, map[string]any{}
	r := rand.New(rand.NewPCG(uint64(row), 7))
	for _, v := range of.Layout.Posterior {
		if !slices.Contains(of.Layout.Parameters, v.Name) {
			continue
		}
		at := p.parameters[v.Name].at(row)
		truth[v.Name] = shaped(at, v.Shape)
		chains, err := of.Draws(v.Name)
		if err != nil {
			return nil, err
		}
		for _, i := range []int{0, v.Size() - 1} {
			if ranks[v.Element(i)], err = rank(at[i], thin(chains, v.Size(), i), r); err != nil {
				return nil, err
			}
		}
	}
	if !of.HasStat("log_lik") { // no log likelihood, because the run used minibatches
		return ranks, nil
	}
	at, err := e.logLikelihood(m, data, truth)
	if err != nil { // a true value that was rounded to a bound has no density
		log.Printf("%s: no rank of the log likelihood: %v", m.name, err)
		return ranks, nil
	}
	chains, err := of.Stats("log_lik")
	if err != nil {
		return nil, err
	}
	ranks["log likelihood"], err = rank(at, thin(chains, 1, 0), r)
	return ranks, err
}

// thin returns equally spaced draws of an element, chain after chain.
func thin(chains [][]float64, size, element int) (some []float64) {
	n := len(chains[0]) / size
	for k := range thinned {
		at := (k + 1) * n * len(chains) / (thinned + 1)
		some = append(some, chains[at/n][at%n*size+element])
	}
	return some
}

// logLikelihood returns the log likelihood at parameters. The prior is excluded, because a run records its density in
// unconstrained coordinates.
func (e experiment) logLikelihood(m model, data string, truth map[string]any) (float64, error) {
	at, err := e.JSON("truth.json", truth)
	if err != nil {
		return 0, err
	}
	printed, _, err := e.Command("logprob", m.path(), "--data", data, "--at", at, "--json")
	if err != nil {
		return 0, err
	}
	var parts struct {
		Likelihood float64 `json:"log_likelihood"`
	}
	err = json.Unmarshal(printed, &parts)
	return parts.Likelihood, err
}
