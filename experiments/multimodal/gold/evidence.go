package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"

	"ppl/experiments/lab"
)

// judged is the output of ppl evidence for a run, with the true value.
type judged struct {
	Truth     float64    `json:"truth"`
	Best      estimate   `json:"best"`
	Estimates []estimate `json:"estimates"`
	Warnings  []string   `json:"warnings"`
}

// An estimate is an estimate of the log evidence.
type estimate struct {
	Method string  `json:"method,omitempty"`
	Log    float64 `json:"log_evidence"`
	SE     float64 `json:"se"`
}

// withEvidence returns the targets with known log evidence.
func (g gold) withEvidence(names []string) (known []string, err error) {
	for _, name := range names {
		t, err := g.truth(name)
		if err != nil {
			return nil, err
		}
		if t.Evidence != nil {
			known = append(known, name)
		}
	}
	return known, nil
}

// estimate runs ppl evidence on a run.
func (g gold) estimate(dir string, truth float64) (*judged, error) {
	ran, err := lab.Within(g.limit, g.ppl, "evidence", dir, "--json")
	if err != nil || ran.Exit != 0 {
		return nil, err
	}
	var said []struct {
		estimate
		Estimates []estimate `json:"estimates"`
		Warnings  []string   `json:"warnings"`
	}
	if err := json.Unmarshal(ran.Printed, &said); err != nil {
		return nil, err
	}
	return &judged{truth, said[0].estimate, said[0].Estimates, said[0].Warnings}, nil
}

// methods are the methods in the table: their names in ppl, and short names.
var methods = [][2]string{{"bridge to a mixture", "mixture"}, {"bridges along the ladder", "ladder"},
	{"stepping stones", "stones"}, {"thermodynamic integration", "integral"}}

// far is the number of standard errors beyond which an estimate counts as off.
const far = 3

// writeEvidence writes the errors of the estimates.
func (g gold) writeEvidence(out string, names []string, runs []run) error {
	table := lab.Table{Columns: []string{"target", "log evidence", "runs", "best: se", "error", "off", "not warned"}}
	for _, m := range methods {
		table.Columns = append(table.Columns, m[1]+": se", "error", "off")
	}
	for _, name := range names {
		g.row(&table, name, func(r run) bool { return r.Target == name }, runs)
	}
	g.row(&table, "all", func(r run) bool { return slices.Contains(names, r.Target) }, runs)
	if out == "" {
		fmt.Print(table.String())
		return nil
	}
	return os.WriteFile(out, []byte(fmt.Sprintf(evidenceText, g.seeds, far, out, lab.Machine(), table.String())), 0o666)
}

// row adds a row of the table that summarises the runs selected by is.
func (g gold) row(table *lab.Table, name string, is func(r run) bool, runs []run) {
	var truth any = ""
	n, warnedOf := 0, 0
	best := deviations{}
	by := map[string]*deviations{}
	for _, m := range methods {
		by[m[0]] = &deviations{}
	}
	for _, r := range runs {
		e := r.Evidence
		if !is(r) || r.Seed > g.seeds || e == nil {
			continue
		}
		n++
		if name == r.Target {
			truth = fmt.Sprintf("%.4f", e.Truth)
		}
		if best.add(e.Best, e.Truth) && len(e.Warnings) > 0 {
			warnedOf++
		}
		for _, x := range e.Estimates {
			if d := by[x.Method]; d != nil {
				d.add(x, e.Truth)
			}
		}
	}
	if n == 0 {
		return
	}
	cells := append([]any{name, truth, n}, best.cells()...)
	cells = append(cells, best.off-warnedOf)
	for _, m := range methods {
		cells = append(cells, by[m[0]].cells()...)
	}
	table.Add(cells...)
}

// deviations summarises the errors of estimates.
type deviations struct {
	errors []float64
	worst  float64 // largest error in standard errors
	off    int
}

// add includes an estimate. It reports whether the estimate is off.
func (d *deviations) add(e estimate, truth float64) bool {
	z := math.Abs(e.Log-truth) / e.SE
	d.errors, d.worst = append(d.errors, e.SE), math.Max(d.worst, z)
	if !(z <= far) {
		d.off++
		return true
	}
	return false
}

func (d *deviations) cells() []any {
	if len(d.errors) == 0 {
		return []any{"", "", ""}
	}
	return []any{fmt.Sprintf("%.3f", lab.Median(d.errors)), fmt.Sprintf("%.1f", d.worst), d.off}
}

const evidenceText = `# Log evidence of targets where it is known

Default settings, seeds 1 to %d, one thread; ppl evidence of each run: the estimate that it gives (best), and all there are: the bridge from draws at
temperature 1 to a mixture of normals, bridges along the ladder, stepping stones and thermodynamic integration. Se is the median standard error; error is the
greatest distance from the truth in standard errors, and an estimate is off where that is above %d. Targets without a ladder have the mixture alone.

    go run ./experiments/multimodal/gold -evidence -out %s

%s.

%s`
