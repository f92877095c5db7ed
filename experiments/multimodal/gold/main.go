// Gold runs ppl at default settings on targets with several modes, difficult geometry or heavy tails whose means are
// known. It counts correct runs, wrong runs, and runs with warnings.
//
//	go run ./experiments/multimodal/gold [-set NAME] [-first 1] [-seeds 5] [-only NAME,…] [-evidence]
//	    [-rough] [-ppl PATH] [-runs FILE] [-out FILE]
//
// A target is targets/NAME.ppl with its true values in targets/NAME.json (truth.py). There are more sets:
//   - broken: no correct result is possible; runs have to fail or to warn
//   - single: one mode and simple geometry (single.py)
//   - touching: a part of the mass has no separate maximum (touching.py)
//   - scales: groups whose common scale is clearly positive, or may be near zero (scales.py)
//
// Results are appended to a file, one JSON object per line, and runs in the file are not repeated, so that an
// interrupted command can continue. With -evidence, only targets with known log evidence are run, and the table
// compares estimates with it (evidence.go).
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ppl/experiments/lab"
	"ppl/posterior/store"
)

const home = "experiments/multimodal/gold"

// widthFactor is the largest acceptable error factor of an approximation's standard deviation (APPROXIMATIONS.md).
const widthFactor = 1.3

// A truth has the known values of a target: means and standard deviations by the name of an element.
type truth struct {
	How        string             `json:"how"`
	Flags      []string           `json:"flags"` // additional flags of ppl sample
	None       bool               `json:"none"`  // no result is correct: the run has to fail or to warn
	Quantities map[string]moments `json:"quantities"`
	Evidence   *float64           `json:"log_evidence"`
}

type moments struct {
	Mean float64 `json:"mean"`
	SD   float64 `json:"sd"`
}

// A run is one line of the results file.
type run struct {
	Target    string   `json:"target"`
	Seed      int      `json:"seed"`
	Exit      int      `json:"exit"` // exit status; −1: time limit exceeded
	Wrong     string   `json:"wrong,omitempty"`
	RHat      float64  `json:"rhat"`
	Warnings  []string `json:"warnings"`
	Gradients int64    `json:"gradients"`
	Seconds   float64  `json:"seconds"` // processor time
	Said      string   `json:"said,omitempty"`
	Evidence  *judged  `json:"evidence,omitempty"`
}

// verdict returns the column of the table that counts the run.
func (r run) verdict() string {
	flagged := r.Exit != 0 || r.RHat > 1.01 || len(r.Warnings) > 0
	switch {
	case r.Exit != 0:
		return "no result"
	case r.Wrong != "" && flagged:
		return "wrong, flagged"
	case r.Wrong != "":
		return "wrong, silent"
	case flagged:
		return "right, flagged"
	}
	return "right"
}

var verdicts = []string{"right", "right, flagged", "wrong, flagged", "wrong, silent", "no result"}

func main() {
	log.SetFlags(0)
	set := flag.String("set", "targets", "`directory` of the targets: targets, broken, scales, single or touching")
	first := flag.Int("first", 1, "the first seed")
	seeds := flag.Int("seeds", 5, "the last seed")
	only := flag.String("only", "", "targets, separated by commas; all if empty")
	ppl := flag.String("ppl", "", "`path` of the command to measure; built if empty")
	runs := flag.String("runs", filepath.Join(os.TempDir(), "gold.jsonl"), "`file` of the runs done")
	out := flag.String("out", "", "`file` to write the table to; standard output if empty")
	withEvidence := flag.Bool("evidence", false, "estimate the log evidence, of targets where it is known")
	rough := flag.Bool("rough", false,
		"judge as approximations are: means by .3 standard deviations, these by a factor of 1.3")
	limit := flag.Duration("limit", 2*time.Minute, "time limit of a run")
	flag.Parse()
	g := gold{dir: filepath.Join(home, *set), ppl: *ppl, first: *first, seeds: *seeds, limit: *limit, args: flag.Args(),
		evidence: *withEvidence, rough: *rough}
	if err := g.measure(*only, *runs, *out); err != nil {
		log.Fatal(err)
	}
}

// gold has the options of the program.
type gold struct {
	dir   string        // directory of the targets
	ppl   string        // path of the command
	first int           // first seed
	seeds int           // last seed
	limit time.Duration // time limit of a run
	args  []string      // more flags of ppl sample

	evidence bool // estimate the evidence
	rough    bool // accept larger errors, as for approximations
}

func (g gold) measure(only, file, out string) error {
	names, err := targets(g.dir, only)
	if err == nil && g.evidence {
		names, err = g.withEvidence(names)
	}
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "ppl-gold-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if g.ppl, err = lab.Built(g.ppl, dir); err != nil {
		return err
	}
	done, err := lab.ReadRuns[run](file)
	if err != nil {
		return err
	}
	for seed := g.first; seed <= g.seeds; seed++ {
		for _, name := range names {
			if slices.ContainsFunc(done, func(r run) bool { return r.Target == name && r.Seed == seed }) {
				continue
			}
			r, err := g.sample(name, seed)
			if err != nil {
				return err
			}
			done = append(done, r)
			if err := lab.AddRun(file, r); err != nil {
				return err
			}
			log.Printf("%s %d: %s %s", name, seed, r.verdict(), r.Wrong)
		}
	}
	return g.write(out, names, done)
}

// targets returns the given targets, or all.
func targets(dir, only string) (names []string, err error) {
	if only != "" {
		return strings.Split(only, ","), nil
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.ppl"))
	for _, f := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(f), ".ppl"))
	}
	return names, err
}

// A summary is the part of the output of ppl sample --json that this program reads.
type summary struct {
	Gradients  int64           `json:"gradients"`
	Warnings   []store.Warning `json:"warnings"`
	Parameters []struct {
		Name string   `json:"name"`
		Mean *float64 `json:"mean"`
		SD   *float64 `json:"sd"`
		MCSE *float64 `json:"mcse_mean"`
		RHat *float64 `json:"rhat"`
	} `json:"parameters"`
}

func (g gold) sample(name string, seed int) (run, error) {
	t, err := g.truth(name)
	if err != nil {
		return run{}, err
	}
	dir, err := os.MkdirTemp("", "ppl-gold-")
	if err != nil {
		return run{}, err
	}
	defer os.RemoveAll(dir)
	args := []string{"sample", filepath.Join(g.dir, name+".ppl"), "--json", "--quiet", "--threads", "1",
		"--seed", strconv.Itoa(seed), "--out", filepath.Join(dir, "run")}
	ran, err := lab.Within(g.limit, g.ppl, slices.Concat(args, t.Flags, g.args)...)
	r := run{Target: name, Seed: seed, Exit: ran.Exit, Said: ran.Said, Seconds: ran.CPU.Seconds()}
	if err != nil || r.Exit != 0 {
		return r, err
	}
	var s summary
	if err := json.Unmarshal(ran.Printed, &s); err != nil {
		return r, err
	}
	r.judge(s, t, g.rough)
	if g.evidence {
		r.Evidence, err = g.estimate(filepath.Join(dir, "run"), *t.Evidence)
	}
	return r, err
}

func (g gold) truth(name string) (t truth, err error) {
	text, err := os.ReadFile(filepath.Join(g.dir, name+".json"))
	if err != nil {
		return t, err
	}
	return t, json.Unmarshal(text, &t)
}

// judge compares a summary with the true values. A mean is wrong if its error is more than .3 standard deviations, or
// more than both four Monte Carlo standard errors and .02 standard deviations. If rough is true, only the first
// criterion applies, and a standard deviation must be within widthFactor.
func (r *run) judge(s summary, t truth, rough bool) {
	r.Gradients = s.Gradients
	for _, w := range s.Warnings {
		r.Warnings = append(r.Warnings, w.String())
	}
	seen := 0
	worst := 0.0
	for _, p := range s.Parameters {
		if p.RHat != nil {
			r.RHat = math.Max(r.RHat, *p.RHat)
		}
		want, ok := t.Quantities[p.Name]
		if !ok {
			continue
		}
		seen++
		if p.Mean == nil {
			r.Wrong = p.Name + " has no mean"
			continue
		}
		off, mcse := math.Abs(*p.Mean-want.Mean), 0.0 // constants have no Monte Carlo error
		if p.MCSE != nil {
			mcse = *p.MCSE
		}
		if rough && p.SD != nil && math.Abs(math.Log(*p.SD/want.SD)) > math.Log(widthFactor) {
			r.Wrong = fmt.Sprintf("the sd of %s is %.3g, not %.3g", p.Name, *p.SD, want.SD)
		}
		if bad := off > .3*want.SD || !rough && off > 4*mcse && off > .02*want.SD; bad && off/want.SD > worst {
			worst = off / want.SD
			r.Wrong = fmt.Sprintf("%s is %.3g ± %.2g, not %.3g", p.Name, *p.Mean, mcse, want.Mean)
		}
	}
	if seen < len(t.Quantities) {
		r.Wrong = "quantities of the truth are missing"
	}
	if t.None {
		r.Wrong = t.How
	}
}

// write writes the table.
func (g gold) write(out string, names []string, runs []run) error {
	if g.evidence {
		return g.writeEvidence(out, names, runs)
	}
	table := lab.Table{Columns: append(append([]string{"target"}, verdicts...), "gradients (median)",
		"seconds (median)")}
	row := func(name string, is func(r run) bool) {
		count, gradients, seconds := map[string]int{}, []float64{}, []float64{}
		for _, r := range runs {
			if is(r) && r.Seed >= g.first && r.Seed <= g.seeds {
				count[r.verdict()]++
				gradients, seconds = append(gradients, float64(r.Gradients)), append(seconds, r.Seconds)
			}
		}
		cells := []any{name}
		for _, v := range verdicts {
			cells = append(cells, count[v])
		}
		if len(gradients) > 0 {
			table.Add(append(cells, lab.Median(gradients), lab.Median(seconds))...)
		}
	}
	for _, name := range names {
		row(name, func(r run) bool { return r.Target == name })
	}
	row("all", func(r run) bool { return slices.Contains(names, r.Target) })
	if out == "" {
		fmt.Print(table.String())
		return nil
	}
	page := fmt.Sprintf(text, g.first, g.seeds, filepath.Base(g.dir), out, lab.Machine(), table.String())
	return os.WriteFile(out, []byte(page), 0o666)
}

const text = `# Targets with known truth

Default settings, seeds %d to %d, one thread. A run is wrong when a mean is off by more than four Monte Carlo standard errors
and .02 standard deviations, or by more than .3 standard deviations; it is flagged when R-hat is above 1.01 or there is a
warning.

    go run ./experiments/multimodal/gold -set %s -out %s

%s; seconds are those of a processor.

%s`
