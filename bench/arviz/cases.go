package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"ppl/infer/dynamics"
)

// called has the arguments for plots of a model: scalar variables, an array variable, and the observed data.
type called struct {
	Names     []string `json:"names"`
	Array     string   `json:"array"`
	Outcome   string   `json:"outcome"`
	Predictor string   `json:"predictor,omitempty"`
	Binary    string   `json:"binary,omitempty"`
	Count     string   `json:"count,omitempty"`
}

func models() map[string]called {
	return map[string]called{
		"schools": {[]string{"mu", "tau"}, "theta", "y", "sd", "", ""},
		"line":    {[]string{"a", "b", "sigma"}, "fit", "y", "x", "passed", "visits"},
		"ragged":  {[]string{"mu", "tau"}, "e", "y", "", "", ""},
	}
}

// A sampled is a run for the benchmark to make.
type sampled struct {
	name, model string
	flags       []string
	has         property
}

// A property is what a run must show; wrong checks it.
type property int

const (
	nothing   property = iota
	diverging          // there are divergences
	thinned            // not all iterations are stored
	prior              // the draws are from the prior
	batches            // the run uses minibatches, so densities are estimates
)

// cases returns runs with each sampler, each dynamics, and runs that use special features of samplers.
func cases(samplers []string) []sampled {
	set := func(values ...string) (flags []string) {
		for _, v := range values {
			flags = append(flags, "--set", v)
		}
		return flags
	}
	all := []sampled{
		{"prior", "schools", nil, prior},
		{"prior, ragged", "ragged", nil, prior},
		{"prior, a line", "line", nil, prior},
		{"a line", "line", nil, nothing},
		{"ragged", "ragged", nil, nothing},
		{"ragged, nuts", "ragged", []string{"--sampler", "nuts"}, nothing},
		{"one rung", "schools", set("replicas=1"), nothing},
		{"ladder", "schools", set("replicas=4", "path=likelihood"), nothing},
		{"ladder of energies", "schools", set("replicas=4", "path=energy"), nothing},
		{"thinned", "schools", set("replicas=1", "steps=1"), thinned},
		{"divergences", "schools", set("replicas=1", "step_size=1.4", "dynamics=hmc"), diverging},
		{"nuts, divergences", "schools", append(set("step_size=0.9", "max_energy_error=10"), "--sampler", "nuts"),
			diverging},
		{"one chain", "line", []string{"--chains", "1"}, nothing},
		{"40 chains", "line", []string{"--chains", "40", "--draws", "50"}, nothing},
		{"minibatches", "line", set("batch=10"), batches},
		{"minibatches, ladder", "line", set("batch=10", "replicas=3", "path=energy"), batches},
		{"minibatches, ragged", "ragged", set("batch=6"), batches},
		{"minibatches, sgld", "line", append(set("batch=10"), "--sampler", "sgld"), batches},
	}
	for _, s := range samplers {
		all = append(all, sampled{"sampler " + s, "schools", []string{"--sampler", s}, nothing})
	}
	for _, d := range dynamics.Names() {
		all = append(all, sampled{"dynamics " + d, "schools", set("dynamics=" + d), nothing})
	}
	return all
}

func run(name string, args ...string) ([]byte, error) {
	var out, errors bytes.Buffer
	command := exec.Command(name, args...)
	command.Stdout, command.Stderr = &out, &errors
	if err := command.Run(); err != nil {
		return nil, fmt.Errorf("%s %q: %w\n%s", name, args, err, errors.Bytes())
	}
	return out.Bytes(), nil
}

// samplersOf returns the samplers that a program offers.
func samplersOf(ppl string) (names []string, err error) {
	text, err := run(ppl, "help", "samplers")
	for line := range strings.Lines(string(text)) {
		names = append(names, strings.Fields(line)[0])
	}
	return names, err
}

// sampleAll makes all runs, and replicates of their data.
func sampleAll(ppl, here, dir string, all []sampled) error {
	for _, c := range all {
		model, to := filepath.Join(here, c.model+".ppl"), c.dir(dir)
		if c.has == prior {
			if _, err := run(ppl, "predict", model, "--draws", "200", "--seed", "1", "--out", to); err != nil {
				return err
			}
			continue
		}
		args := append([]string{"sample", model, "--out", to, "--seed", "1", "--draws", "200", "--quiet"}, c.flags...)
		if _, err := run(ppl, args...); err != nil {
			return err
		}
		if _, err := run(ppl, "predict", to, "--seed", "2"); err != nil {
			return err
		}
	}
	return nil
}

func (c sampled) dir(dir string) string { return filepath.Join(dir, c.name+".run") }

// found is the output of plots.py.
type found struct {
	Version string
	All     []string // all plots of this version of ArviZ
	Runs    []plotted
}

type plotted struct {
	Plots       map[string]string // maps a plot to its error; "" if it was drawn
	Kinds       map[string]string // maps a statistic to the kind of its NumPy type
	Attributes  map[string]any
	Divergences int
}

// plotAll opens the runs in ArviZ and draws all plots.
func plotAll(python, here, dir string, all []sampled) (f found, err error) {
	for _, c := range all {
		text, err := json.Marshal([]any{c.asked(dir, all)})
		if err != nil {
			return f, err
		}
		text, err = run(python, filepath.Join(here, "plots.py"), string(text))
		if err != nil {
			return f, err
		}
		var one found
		if err := json.Unmarshal(text, &one); err != nil {
			return f, err
		}
		fmt.Fprintf(os.Stderr, "ArviZ %s, %s: %d plots, %v\n", one.Version, c.name, len(one.Runs[0].Plots),
			one.Runs[0].failures())
		f.Version, f.All, f.Runs = one.Version, one.All, append(f.Runs, one.Runs...)
	}
	return f, nil
}

// asked returns the argument of plots.py for a run: its plots, together with the prior run of the same model.
func (c sampled) asked(dir string, all []sampled) any {
	out := struct {
		called
		Run   string `json:"run"`
		Prior string `json:"prior,omitempty"`
	}{called: models()[c.model], Run: c.dir(dir)}
	if c.has != prior {
		i := slices.IndexFunc(all, func(p sampled) bool { return p.has == prior && p.model == c.model })
		out.Prior = all[i].dir(dir)
	}
	return out
}

func (p plotted) failures() (all []string) {
	for name, text := range p.Plots {
		if text != "" {
			all = append(all, name+": "+text)
		}
	}
	slices.Sort(all)
	return all
}

// wrong lists the faults of a run: it lacks the property c.has or the attribute thin, it stores an estimated density as
// an exact one or the reverse, or a statistic has another type than in infer.Statistics. Draws from the prior are not
// checked.
func (c sampled) wrong(p plotted) (all []string) {
	if c.has == prior {
		return nil
	}
	kinds := map[string]string{"diverging": "b", "n_steps": "i", "tree_depth": "i", "replica": "i"}
	for name, kind := range p.Kinds {
		want := kinds[name]
		if want == "" {
			want = "f"
		}
		if kind != want {
			all = append(all, fmt.Sprintf("%s has kind %s", name, kind))
		}
	}
	_, energy := p.Kinds["energy"]
	_, estimate := p.Kinds["lp_estimate"]
	thin, _ := p.Attributes["thin"].(float64)
	for text, bad := range map[string]bool{
		"no draw after a divergence": c.has == diverging && p.Divergences == 0,
		"each iteration is kept":     c.has == thinned && thin <= 1,
		"no attribute thin":          thin == 0,
		"an estimate as energy":      energy && estimate,
		"densities as of all data":   (c.has == batches) != estimate,
	} {
		if bad {
			all = append(all, text)
		}
	}
	slices.Sort(all)
	return all
}
