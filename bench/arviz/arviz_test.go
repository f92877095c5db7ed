package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPlots checks that all plots of the version of ArviZ in PPL_PYTHON can be drawn for runs of every sampler.
func TestPlots(t *testing.T) {
	python := os.Getenv("PPL_PYTHON")
	if testing.Short() || os.Getenv("PPL_SLOW") == "" || python == "" {
		t.Skip("slow: set PPL_SLOW=1, and PPL_PYTHON to a Python with arviz")
	}
	ppl := filepath.Join(t.TempDir(), "ppl")
	if _, err := run("go", "build", "-o", ppl, "ppl/cmd/ppl"); err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	if err := report(&table, ppl, ".", []string{python}); err != nil {
		t.Errorf("%v\n%s", err, table.String())
	}
}

// TestFaultsAreFound checks that a run without the property of its row, a statistic of another type, and a failed plot
// are reported.
func TestFaultsAreFound(t *testing.T) {
	sound := func() plotted {
		return plotted{Plots: map[string]string{"plot_trace": ""}, Kinds: map[string]string{"diverging": "b",
			"n_steps": "i", "energy": "f"}, Attributes: map[string]any{"thin": 2.}, Divergences: 3}
	}
	for text, c := range map[string]struct {
		of    sampled
		spoil func(p *plotted)
	}{
		"":                           {sampled{has: diverging}, func(*plotted) {}},
		"diverging has kind i":       {sampled{}, func(p *plotted) { p.Kinds["diverging"] = "i" }},
		"no draw after a divergence": {sampled{has: diverging}, func(p *plotted) { p.Divergences = 0 }},
		"each iteration is kept":     {sampled{has: thinned}, func(p *plotted) { p.Attributes["thin"] = 1. }},
		"no attribute thin":          {sampled{}, func(p *plotted) { p.Attributes = nil }},
		"an estimate as energy":      {sampled{has: batches}, func(p *plotted) { p.Kinds["lp_estimate"] = "f" }},
		"densities as of all data":   {sampled{has: batches}, func(*plotted) {}},
	} {
		p := sound()
		c.spoil(&p)
		if got := strings.Join(c.of.wrong(p), ", "); got != text {
			t.Errorf("found %q, want %q", got, text)
		}
	}
	p := sound()
	p.Plots["plot_pair"] = "IndexError"
	if got := p.failures(); len(got) != 1 || got[0] != "plot_pair: IndexError" {
		t.Errorf("failures %q", got)
	}
}
