package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ppl/posterior/store"
)

// TestJudge checks that means with too large errors are wrong, and so is a run that lacks a quantity of the truth.
func TestJudge(t *testing.T) {
	truth := truth{Quantities: map[string]moments{"a": {0, 2}}}
	for name, c := range map[string]struct {
		mean, mcse, rhat float64
		warnings         []store.Warning
		missing, rough   bool
		want             string
	}{
		"right":                  {mean: .03, mcse: .03, rhat: 1, want: "right"},
		"far in errors":          {mean: .05, mcse: .01, rhat: 1, want: "wrong, silent"},
		"too small to care":      {mean: .03, mcse: .001, rhat: 1, want: "right"},
		"far in errors, roughly": {mean: .05, mcse: .01, rhat: 1, rough: true, want: "right"},
		"far, roughly":           {mean: .7, mcse: 1, rhat: 1, rough: true, want: "wrong, silent"},
		"far in deviations":      {mean: .7, mcse: 1, rhat: 1, want: "wrong, silent"},
		"R-hat":                  {mean: .7, mcse: 1, rhat: 1.02, want: "wrong, flagged"},
		"warned": {mean: 0, mcse: .03, rhat: 1, warnings: []store.Warning{{Fact: "slow"}},
			want: "right, flagged"},
		"missing": {mean: 0, mcse: .03, rhat: 1, missing: true, want: "wrong, silent"},
	} {
		var s summary
		text, _ := json.Marshal(map[string]any{"warnings": c.warnings, "parameters": []map[string]any{
			{"name": map[bool]string{false: "a", true: "b"}[c.missing], "mean": c.mean, "mcse_mean": c.mcse,
				"rhat": c.rhat}}})
		if err := json.Unmarshal(text, &s); err != nil {
			t.Fatal(err)
		}
		var r run
		if r.judge(s, truth, c.rough); r.verdict() != c.want {
			t.Errorf("%s: %s (%s), want %s", name, r.verdict(), r.Wrong, c.want)
		}
	}
}

// TestTargets checks that every target has a truth with finite numbers, and that every truth has a target.
func TestTargets(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	t.Chdir("../../..")
	for _, set := range []string{"targets", "broken", "single", "touching"} {
		testSet(t, filepath.Join(home, set))
	}
}

func testSet(t *testing.T, dir string) {
	names, err := targets(dir, "")
	files, _ := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(names) < 15 || len(files) != len(names) {
		t.Errorf("%s: %d targets, %d truths, %v", dir, len(names), len(files), err)
	}
	for _, name := range names {
		var truth truth
		text, err := os.ReadFile(filepath.Join(dir, name+".json"))
		if err == nil {
			err = json.Unmarshal(text, &truth)
		}
		if err != nil || (len(truth.Quantities) == 0) != truth.None {
			t.Errorf("%s: %v", name, err)
		}
		if truth.Evidence != nil && math.IsInf(*truth.Evidence, 0) {
			t.Errorf("%s: log evidence %v", name, *truth.Evidence)
		}
		model, _ := os.ReadFile(filepath.Join(dir, name+".ppl"))
		for q, m := range truth.Quantities {
			variable, _, _ := strings.Cut(q, "[")
			if !strings.Contains(string(model), variable) || !(m.SD > 0) || math.IsInf(m.Mean+m.SD, 0) {
				t.Errorf("%s: %s %+v", name, q, m)
			}
		}
	}
}
