package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// Permuted labels are the same labels, of which about as many differ as the share and the number of classes say.
func TestPermute(t *testing.T) {
	const n = 10_000
	labels := make([]byte, n)
	for i := range labels {
		labels[i] = byte(i % 10)
	}
	for _, percent := range []int{0, 20, 30} {
		got := bytes.Clone(labels)
		permute(got, percent, 1)
		moved := 0
		for i := range got {
			if got[i] != labels[i] {
				moved++
			}
		}
		want, chosen := float64(n*percent)/100*0.9, float64(n*percent)/100
		if d := float64(moved) - want; d*d > 25*chosen*0.09 { // five standard deviations
			t.Errorf("%d %%: %d labels differ, expected %.0f", percent, moved, want)
		}
		slices.Sort(got)
		if sorted := slices.Sorted(slices.Values(labels)); !bytes.Equal(got, sorted) {
			t.Errorf("%d %%: other labels", percent)
		}
	}
}

// A table has means over seeds of its own network and budget, dashes for what was not run, and says what was refused.
func TestPage(t *testing.T) {
	c := cell{"mlp", "Adam", 20, 1, budget{100, 20}}
	second, other, refused := c, c, c
	second.Seed, other.Gradients, refused.Method = 2, 200, "sgld"
	text := page([]run{{cell: c, Accuracy: 0.8, Log: -0.5, Calibration: 0.02, Seconds: 10},
		{cell: second, Accuracy: 0.9, Log: -0.3, Calibration: 0.04, Seconds: 20},
		{cell: other, Accuracy: 0.1}, {cell: refused, Refused: "no"}})
	for _, want := range []string{"## mlp, 100 gradients, 20 draws", "85.00, -0.400, 0.030, 15 s (2)",
		"## mlp, 200 gradients, 20 draws",
		"10.00, 0.000, 0.000, 0 s (1)", "refused", "–"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// Each method's arguments keep to the budget.
func TestBudgets(t *testing.T) {
	for _, m := range methods() {
		args := m.args(budget{Gradients: 1000, Draws: 32})
		if !slices.ContainsFunc([]string{"iterations 1000", "iterations 250", "draws 32", "draws 8"},
			func(part string) bool { return strings.HasSuffix(args, part) }) {
			t.Errorf("%s: %s", m.name, args)
		}
	}
}
