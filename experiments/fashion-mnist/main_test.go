package main

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"ppl/experiments/lab"
)

// TestPermuted checks that the model of a cell permutes the stated share of labels.
func TestPermuted(t *testing.T) {
	for _, network := range []string{"mlp", "lstm"} {
		text, err := os.ReadFile(network + ".ppl")
		if err != nil {
			t.Fatal(err)
		}
		model := permuted(string(text), cell{Permuted: 30, Seed: 2})
		if !strings.Contains(model, " permute 0.3 seed 2\n") {
			t.Errorf("%s:\n%s", network, model)
		}
	}
}

// TestPage checks that a table has the means over seeds for its network and budget, dashes for cells without a run, and
// the messages of failed runs.
func TestPage(t *testing.T) {
	c := cell{"mlp", "Adam", 20, 1, budget{100, 20}, ""}
	second, other, refused, onGPU := c, c, c, c
	second.Seed, other.Gradients, refused.Method, onGPU.Device = 2, 200, "sgld", "cuda"
	text := page([]run{{cell: c, Accuracy: 0.8, Log: -0.5, Calibration: 0.02, Seconds: 10},
		{cell: second, Accuracy: 0.9, Log: -0.3, Calibration: 0.04, Seconds: 20},
		{cell: other, Accuracy: 0.1}, {cell: refused, Refused: "no"}, {cell: onGPU, Accuracy: 0.7}})
	for _, want := range []string{"## mlp, 100 gradients, 20 draws", "85.00, -0.400, 0.030, 15 s (2)",
		"## mlp, 200 gradients, 20 draws\n", "## mlp, 100 gradients, 20 draws, cuda\n",
		"10.00, 0.000, 0.000, 0 s (1)", "refused", "–"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestResults checks that RESULTS.md has the tables of runs.jsonl, whose runs the next start does not repeat.
func TestResults(t *testing.T) {
	done, err := lab.ReadRuns[run]("runs.jsonl")
	if err != nil || len(done) == 0 {
		t.Fatal(len(done), err)
	}
	written, err := os.ReadFile("RESULTS.md")
	if err != nil {
		t.Fatal(err)
	}
	_, want, _ := strings.Cut(page(done), "\n## ")
	if _, got, _ := strings.Cut(string(written), "\n## "); got != want {
		t.Errorf("RESULTS.md has\n%s, and runs.jsonl gives\n%s", got, want)
	}
}

// TestParts checks that a run that is a mean over seeds covers their cells, that renhd comes first, and that no cell
// starts that takes longer than the time that is left.
func TestParts(t *testing.T) {
	e := &experiment{network: "lstm", gradients: 10, draws: 4, device: "cuda"}
	all := e.cells(2)
	if len(all) != 2*3*len(methods()) {
		t.Errorf("%d cells", len(all))
	}
	for i, c := range all {
		if first := i%(len(all)/2) < 3; (c.Method == "renhd") != first || c.Seed != 1+i/(len(all)/2) {
			t.Errorf("cell %d is %+v", i, c)
		}
	}
	two := run{cell: all[0], Seeds: 2, Seconds: 40}
	for seed, want := range map[int]bool{0: false, 1: true, 2: true, 3: false} {
		c := all[0]
		c.Seed = seed
		if two.covers(c) != want {
			t.Errorf("seed %d is covered: %v", seed, !want)
		}
	}
	if two.covers(all[1]) || expected([]run{two}, all[1]) != 40 || expected([]run{two}, all[5]) != 0 {
		t.Error("other cells of renhd take 40 s, and those of other methods are unknown")
	}
	if left := clock(time.Now().Add(-time.Minute), 1.5)(); left > 30 || left < 20 {
		t.Errorf("%v s of half a minute are left", left)
	}
}

// TestBudgets checks that the arguments of each method respect the budget.
func TestBudgets(t *testing.T) {
	for _, m := range methods() {
		args := m.args(budget{Gradients: 1000, Draws: 32})
		if !slices.ContainsFunc([]string{"iterations 1000", "iterations 250", "draws 32", "draws 8"},
			func(part string) bool { return strings.HasSuffix(args, part) }) {
			t.Errorf("%s: %s", m.name, args)
		}
	}
}
