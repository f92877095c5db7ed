package main

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ppl/experiments/lab"
)

// systems are the systems that peers.py runs. The first is ppl.
var systems = []string{"ppl", "Stan", "nutpie"}

// A peerRun is a line of the output of peers.py: a run of a system, or the compilation of a model's Stan program.
type peerRun struct {
	Posterior  string    `json:"posterior"`
	Model      string    `json:"model"`
	System     string    `json:"system"`
	Exit       int       `json:"exit"` // exit status; −1: time limit exceeded
	Gradients  int64     `json:"gradients"`
	Seconds    float64   `json:"seconds"` // processor time
	Compile    float64   `json:"compile"` // processor time of compilation, for ppl
	ESSApart   float64   `json:"ess_apart"`
	Parameters []element `json:"parameters"`
	Built      string    `json:"built"` // name of a model; if not "", this line is about its compilation
}

// A side is the result of one system on a posterior.
type side struct {
	peerRun
	verdict string
	ess     float64 // smallest ess_bulk over the parameters that all systems have
}

// A rate measures efficiency. Larger is better.
type rate struct {
	what string
	of   func(side) float64
}

var rates = []rate{
	{"a gradient", func(s side) float64 { return s.ess / float64(s.Gradients) }},
	{"a second", func(s side) float64 { return s.ess / s.Seconds }},
	{"a second with compilation", func(s side) float64 { return s.ess / (s.Seconds + s.Compile) }},
}

// value returns the rate of a finished run, and 0 for other runs.
func (r rate) value(s side) float64 {
	if s.Exit != 0 {
		return 0
	}
	return r.of(s)
}

// A contest is a posterior with the results of all systems.
type contest struct {
	posterior string
	sides     []side
}

// lead returns the ratio of ppl's rate to the best rate of the other systems, and the name of the best system.
func (c contest) lead(r rate) (ratio float64, best string) {
	top := slices.MaxFunc(c.sides[1:], func(a, b side) int { return cmp.Compare(r.value(a), r.value(b)) })
	ratio = r.value(c.sides[0]) / r.value(top)
	if math.IsInf(ratio, 1) {
		return ratio, "none"
	}
	return ratio, top.System
}

// ahead reports whether ppl is not wrong and has a higher rate than the other systems.
func (c contest) ahead(r rate) bool {
	ratio, _ := c.lead(r)
	return ratio > 1 && !strings.HasPrefix(c.sides[0].verdict, "wrong")
}

// compare reads the output of peers.py, and writes PEERS.md.
func (e *experiment) compare(file string) error {
	all, err := e.posteriors()
	if err != nil {
		return err
	}
	runs, err := lab.ReadRuns[peerRun](file)
	if err != nil {
		return err
	}
	var contests []contest
	var missing []string
	for _, p := range all {
		if p.Reference == "" {
			continue
		}
		ref, err := e.reference(p)
		if err != nil {
			return err
		}
		if c, whole := contestOf(p.Name, runs, ref); whole && ref != nil {
			contests = append(contests, c)
		} else {
			missing = append(missing, p.Name)
		}
	}
	return os.WriteFile(filepath.Join(home, "PEERS.md"), []byte(peersPage(contests, missing)), 0o666)
}

// contestOf returns the results of all systems on a posterior. whole is false if a system has no run.
func contestOf(name string, runs []peerRun, ref map[string][][]float64) (c contest, whole bool) {
	c.posterior = name
	for _, system := range systems {
		at := slices.IndexFunc(runs, func(r peerRun) bool { return r.Posterior == name && r.System == system })
		if at < 0 {
			return c, false
		}
		s := side{peerRun: runs[at], ess: math.Inf(1)}
		if system != systems[0] {
			s.Compile = compilation(runs, s.Model)
		}
		judged := run{Exit: s.Exit}
		judged.judge(summary{Parameters: s.Parameters}, ref)
		s.verdict = judged.verdict()
		c.sides = append(c.sides, s)
	}
	for i := range c.sides {
		for _, x := range c.sides[i].Parameters {
			if c.everywhere(x.Name) {
				c.sides[i].ess = math.Min(c.sides[i].ess, *x.Bulk)
			}
		}
	}
	return c, true
}

// compilation returns the compile time of a model's Stan program.
func compilation(runs []peerRun, model string) float64 {
	at := slices.IndexFunc(runs, func(r peerRun) bool { return r.Built == model })
	if at < 0 {
		return math.NaN()
	}
	return runs[at].Seconds
}

// everywhere reports whether an element exists and is not constant in all finished runs.
func (c contest) everywhere(name string) bool {
	return !slices.ContainsFunc(c.sides, func(s side) bool {
		has := slices.ContainsFunc(s.Parameters, func(x element) bool { return x.Name == name && !x.constant() })
		return s.Exit == 0 && !has
	})
}

func peersPage(contests []contest, missing []string) string {
	counts := lab.Table{Columns: []string{"ess_bulk for each", "ppl ahead of both", "median of ppl / best other",
		"least"}}
	for _, r := range rates {
		var ratios []float64
		ahead := 0
		for _, c := range contests {
			ratio, _ := c.lead(r)
			ratios = append(ratios, ratio)
			if c.ahead(r) {
				ahead++
			}
		}
		if len(ratios) > 0 {
			what := strings.TrimPrefix(r.what, "a ")
			counts.Add(what, fmt.Sprintf("%d of %d", ahead, len(contests)), lab.Median(ratios), slices.Min(ratios))
		}
	}
	leads, sides := lab.Table{Columns: []string{"posterior"}}, lab.Table{Columns: []string{"posterior", "system",
		"verdict", "worst ess_bulk", "gradients", "seconds", "compilation", "ess / 1,000 gradients", "ess / s",
		"ess / s with compilation"}}
	for _, r := range rates {
		leads.Columns = append(leads.Columns, r.what, "best other")
	}
	apart := 0.0
	for _, c := range contests {
		row := []any{c.posterior}
		for _, r := range rates {
			ratio, best := c.lead(r)
			row = append(row, ratio, best)
		}
		leads.Add(row...)
		for _, s := range c.sides {
			s.add(&sides)
			apart = math.Max(apart, s.ESSApart)
		}
	}
	left := "none"
	if len(missing) > 0 {
		left = strings.Join(missing, ", ")
	}
	return fmt.Sprintf(peersText, apart, left, lab.Machine(), counts.String(), leads.String(), sides.String())
}

func (s side) add(table *lab.Table) {
	if s.Exit != 0 {
		table.Add(s.Posterior, s.System, s.verdict, "", "", s.Seconds, s.Compile, "", "", "")
		return
	}
	table.Add(s.Posterior, s.System, s.verdict, s.ess, float64(s.Gradients), s.Seconds, s.Compile,
		1000*rates[0].of(s), rates[1].of(s), rates[2].of(s))
}

const peersText = `# posteriordb: ppl next to Stan and nutpie

The posteriors of posteriordb that have reference draws under ppl, Stan's NUTS (PyStan 3.10, Stan 2.35) and nutpie 0.16.8
on the same Stan programs: four chains of 1,000 draws, seed 1, one thread for each chain, everything else as each system
does it by itself: Stan has 1,000 draws of warm-up, nutpie 400, ppl at most 1,000. A run may take 180 s of a processor.
The ppl is that of commit 0a0d92f4, and all runs are of one afternoon on one machine.

    python experiments/posteriordb/peers.py --db PATH/posterior_database --ppl PPL --runs peers.jsonl
    go run ./experiments/posteriordb -db PATH/posterior_database -peers peers.jsonl

Ess_bulk is the least of the parameters that have the same name in all systems, by ArviZ for all of them; what ppl
itself prints differs by at most %.0g of it. Gradients are those of warm-up and draws of all chains: ppl's
count, Stan's n_leapfrog__, nutpie's n_steps. A run is right or wrong by the same comparison with the reference draws as
in RESULTS.md, and flagged where R-hat is above 1.01; one that is wrong is never ahead if it is ppl's, and counts with
what it has if it is another's.

Seconds are those of a processor, on a machine that had much other work, the most while ppl ran: for ppl of the whole
command, which reads data and prints a summary; for Stan of the processes that run Stan alone; for nutpie until the
last draw, with the watch over the time limit, which takes two hundredths of the time of the clock. Python's start,
and what PyStan, nutpie and ArviZ do with draws afterwards, is not counted. Compilation is that of one Stan program,
the same for Stan and nutpie, by gcc with Stan's header compiled beforehand and without debugging symbols, which
halves it; for ppl it is what a first run took longer than one that found the library. A library for nutpie has the
same object file as that for PyStan.

Where ppl is behind a second, nutpie is done in .05 to .13 s, and ppl's whole command takes .25 to .3 s. Where it
is behind a gradient, 44 to 79 %% of its gradients are those of warm-up, 24 to 93 thousand, and nutpie has but 18 to 54
thousand in all, Stan 88 thousand on hmm_drive_0. The draws alone have 33 to 155 effective ones for 1,000 gradients there,
more than the best other has with its warm-up, except on gp_regr (151, nutpie 299) and sblri (126, nutpie 155), where
nutpie's draws are antithetic: it has more effective draws than draws. Nutpie stops on lotka_volterra: it
"failed to constrain the parameters of the draw". The heavy tails of which ppl warns on one_comp_mm_elim_abs are
those of the Cauchy priors.

Not run: %s.

%s.

%s
Above 1, ppl is ahead:

%s
%s`
