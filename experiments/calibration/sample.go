package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"ppl/experiments/lab"
	"ppl/infer/draws"
	"ppl/infer/report"
)

// A model is one of the examples. Its data are those of the example, but for what it observes.
type model struct {
	name  string
	rows  bool    // it has enough of them for minibatches
	as    string  // the data that what it observes is computed from, where these are not the same,
	scale float64 // by division through this number
}

func models() []model {
	return []model{{name: "calibration"}, {name: "challenger"}, {name: "coal"}, {name: "earthquakes"},
		{name: "eight_schools"}, {name: "elimination"}, {name: "exam"}, {name: "fishing"},
		{name: "galaxies", as: "velocity", scale: 1000}, {name: "influenza"}, {name: "nile"}, {name: "occupancy"},
		{name: "parasites"}, {name: "pumps"}, {name: "radon", rows: true},
		{name: "rats"}, {name: "ryegrass"}, {name: "seeds"}, {name: "slopes", rows: true}, {name: "stackloss"}}
}

// A sampler is a way to call ppl sample.
type sampler struct {
	name  string
	flags []string
	rows  bool // it is for models with many rows
}

func samplers() []sampler {
	return []sampler{{name: "renhd", flags: []string{"--sampler", "renhd"}},
		{name: "nuts", flags: []string{"--sampler", "nuts"}},
		{name: "minibatches of 64", flags: []string{"--set", "batch=64"}, rows: true}}
}

func (s sampler) takes(m model) bool { return m.rows || !s.rows }

// thinned is how many draws ranks are among: far enough apart to be independent.
const thinned = 99

// laboratory has a ppl, and a place for its runs.
type laboratory struct{ ppl, dir string }

// sample gives a sampler a data set from the prior.
func (l laboratory) sample(m model, s sampler, replicate int) (run, error) {
	r := run{Model: m.name, Sampler: s.name, Replicate: replicate}
	prior, err := l.prior(m)
	if err != nil {
		return r, err
	}
	at, err := complete(prior, replicate)
	if err != nil {
		return r, err
	}
	data, err := l.data(m, prior, at)
	if err != nil {
		return r, err
	}
	out := filepath.Join(l.dir, "run")
	t, err := lab.Command(l.ppl, append([]string{"sample", m.path(), "--data", data, "--seed",
		strconv.Itoa(replicate + 1), "--quiet", "--overwrite", "--out", out}, s.flags...)...)
	if err != nil {
		return r, err
	}
	r.Seconds = t.CPU.Seconds()
	if t.Exit != 0 {
		r.Said = t.Said
		return r, nil
	}
	of, err := draws.Open(out)
	if err != nil {
		return r, err
	}
	said, err := report.FromRun(of)
	if err != nil {
		return r, err
	}
	r.RHat = said.Worst().RHat
	for _, w := range said.Warnings {
		r.Warnings = append(r.Warnings, w.String())
	}
	r.Ranks, err = l.ranks(m, of, prior, data, at)
	return r, err
}

func (m model) path() string { return filepath.Join("examples", m.name+".ppl") }

// prior has the parameters and data of all replicates of a model. It is drawn when it is first asked for.
func (l laboratory) prior(m model) (*draws.Run, error) {
	dir := filepath.Join(l.dir, m.name)
	if _, err := os.Stat(dir); err == nil {
		return draws.Open(dir)
	}
	t, err := lab.Command(l.ppl, "predict", m.path(), "--draws", "1000", "--seed", "1", "--quiet", "--out", dir)
	if err == nil && t.Exit != 0 {
		err = fmt.Errorf("%s", t.Said)
	}
	if err != nil {
		return nil, err
	}
	return draws.Open(dir)
}

// complete is the draw of the prior that a replicate is: those are passed over whose data could not be drawn, as where
// an equation has no solution. The density of their parameters is 0 for any data.
func complete(prior *draws.Run, replicate int) (at int, err error) {
	for at = range prior.Info.Draws {
		whole := true
		for _, v := range prior.Layout.PriorPredictive {
			all, err := prior.PriorPredictive(v.Name)
			if err != nil {
				return 0, err
			}
			whole = whole && !slices.ContainsFunc(all[0][at*v.Size():(at+1)*v.Size()], math.IsNaN)
		}
		if whole && replicate == 0 {
			return at, nil
		} else if whole {
			replicate--
		}
	}
	return 0, fmt.Errorf("the prior has too few draws with data")
}

// data writes what a model observes in a replicate to a file that ppl reads.
func (l laboratory) data(m model, prior *draws.Run, replicate int) (string, error) {
	values := map[string]any{}
	for _, v := range prior.Layout.PriorPredictive {
		all, err := prior.PriorPredictive(v.Name)
		if err != nil {
			return "", err
		}
		xs, name := all[0][replicate*v.Size():(replicate+1)*v.Size()], v.Name
		if m.as != "" {
			name = m.as
			for i := range xs {
				xs[i] *= m.scale
			}
		}
		values[name] = shaped(xs, v.Shape)
	}
	return l.write("data.json", values)
}

func (l laboratory) write(name string, value any) (string, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return "", err
	}
	path := filepath.Join(l.dir, name)
	return path, os.WriteFile(path, text, 0o666)
}

// shaped is an array of arrays, of elements in row-major order.
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

// ranks are those of the true parameters, the first and the last element of each, and of the log density of the model
// at them.
func (l laboratory) ranks(m model, of, prior *draws.Run, data string, replicate int) (map[string]float64, error) {
	ranks, truth := map[string]float64{}, map[string]any{}
	r := rand.New(rand.NewPCG(uint64(replicate), 7))
	for _, v := range of.Layout.Posterior {
		if !slices.Contains(of.Layout.Parameters, v.Name) {
			continue
		}
		all, err := prior.Prior(v.Name)
		if err != nil {
			return nil, err
		}
		at := all[0][replicate*v.Size() : (replicate+1)*v.Size()]
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
	at, err := l.logDensity(m, data, truth)
	if err != nil {
		return nil, err
	}
	there, err := logDensities(of)
	if err != nil || there == nil {
		return ranks, err
	}
	ranks["log density"], err = rank(at, there, r)
	return ranks, err
}

// logDensities are log prior + log likelihood at the draws that ranks are among; none for a run that saw a part of the
// rows at a time.
func logDensities(of *draws.Run) ([]float64, error) {
	if !of.HasStat("log_lik") || !of.HasStat("log_prior") {
		return nil, nil
	}
	sums := make([]float64, thinned)
	for _, name := range []string{"log_prior", "log_lik"} {
		chains, err := of.Stats(name)
		if err != nil {
			return nil, err
		}
		for i, x := range thin(chains, 1, 0) {
			sums[i] += x
		}
	}
	return sums, nil
}

// thin takes draws of an element at even distances, in the order of chains.
func thin(chains [][]float64, size, element int) (some []float64) {
	n := len(chains[0]) / size
	for k := range thinned {
		at := (k + 1) * n * len(chains) / (thinned + 1)
		some = append(some, chains[at/n][at%n*size+element])
	}
	return some
}

// logDensity is log prior + log likelihood at parameters.
func (l laboratory) logDensity(m model, data string, truth map[string]any) (float64, error) {
	at, err := l.write("truth.json", truth)
	if err != nil {
		return 0, err
	}
	t, err := lab.Command(l.ppl, "logprob", m.path(), "--data", data, "--at", at, "--json")
	if err == nil && t.Exit != 0 {
		err = fmt.Errorf("%s", t.Said)
	}
	if err != nil {
		return 0, err
	}
	var parts struct {
		Prior      float64 `json:"log_prior"`
		Likelihood float64 `json:"log_likelihood"`
	}
	err = json.Unmarshal(t.Printed, &parts)
	return parts.Prior + parts.Likelihood, err
}
