package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A run of prior draws can be exported with its parameters and its replicates of data, or a selection of these.
func TestExportOfPriorDraws(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	model, run := filepath.Join(dir, "m.ppl"), filepath.Join(dir, "prior")
	text := "data y[N] = [1, 2, 3]\nmu ~ Normal(1000, 1)\ny[i in N] ~ Normal(-mu, 1)\n"
	if err := os.WriteFile(model, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	pplJSON(t, nil, "predict", model, "--draws", "5", "--seed", "2", "--out", run, "--quiet")
	var all map[string]json.RawMessage
	pplJSON(t, &all, "export", run, "--format", "json")
	var mu [][]float64
	var y [][][]float64
	for name, into := range map[string]any{"mu": &mu, "y": &y} {
		if err := json.Unmarshal(all[name], into); err != nil {
			t.Fatalf("%s: %v in %s", name, err, all)
		}
	}
	if len(mu) != 1 || len(mu[0]) != 5 || len(y) != 1 || len(y[0]) != 5 || len(y[0][0]) != 3 {
		t.Fatalf("mu %v, y %v", mu, y)
	}
	for k, m := range mu[0] {
		if !(m > 990) || !(y[0][k][2] < -990) {
			t.Errorf("draw %d: mu %v, y %v", k, m, y[0][k])
		}
	}
	chosen := filepath.Join(dir, "y.csv")
	pplJSON(t, nil, "export", run, "y[2]", "--out", chosen)
	lines, err := os.ReadFile(chosen)
	if err != nil || !strings.HasPrefix(string(lines), "chain,draw,y[2]\n1,1,-") {
		t.Errorf("y[2] alone: %v, %s", err, lines)
	}
	pplJSON(t, nil, "export", run, "mu", "--out", filepath.Join(dir, "mu.nc"))
}
