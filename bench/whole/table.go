package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"ppl/experiments/lab"
)

const head = `# Whole runs

Written by ` + "`make bench-runs`" + `. Each row is four chains of 1,000 draws after 1,000 iterations of warm-up, at default settings: medians over
seeds. *All* is the processor time of the process from its start, with what it compiles; *sampling* that of warm-up and draws alone. For ppl
it is the whole process with the compiled library in the cache, from reading the model to the printed summary, so it includes
the time for the summary. The others are not charged for effective sizes. *ESS* is the lesser of bulk and tail ESS (Vehtari et al. 2021) of
the quantity where it is least, of those that all systems have. *Compiled* is the share of the time of ppl's process in compiled C, as perf
samples it: the model, the sampler's steps, and the C library's functions that they call. *Memory* is the most that was resident.

| model | parameters | system | all | sampling | ESS | ESS/s of sampling | ESS per 1,000 gradients | compiled | memory | seeds |
|---|---|---|---|---|---|---|---|---|---|---|
`

// write replaces the table in a file by the stored results. Rows and sections without new results are not changed.
func (b *bench) write(path string) error {
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	before := read(string(text))
	out := head
	for _, t := range targets() {
		for _, system := range systems() {
			runs, err := b.runs(t, system)
			switch start := rowStart(t, system); {
			case err != nil:
				return err
			case len(runs) > 0:
				out += start + cells(system, runs)
			default:
				out += before.rows[start]
			}
		}
	}
	growth, err := b.growthTable()
	if err != nil {
		return err
	}
	if growth == "" {
		growth = before.growth
	}
	return os.WriteFile(path, []byte(out+growth+before.notes), 0o644)
}

// A page has the parts of a file with a table.
type page struct {
	rows          map[string]string // maps the first cells of a row to the row
	growth, notes string            // sections of the page
}

func read(text string) page {
	p := page{rows: map[string]string{}}
	parts := strings.Split(text, "\n## ")
	for line := range strings.Lines(parts[0] + "\n") {
		if cells := strings.SplitAfterN(line, "|", 5); len(cells) == 5 {
			p.rows[strings.Join(cells[:4], "")] = line
		}
	}
	for _, section := range parts[1:] {
		if strings.HasPrefix(section, "Growth\n") {
			p.growth = "\n## " + section
		} else {
			p.notes += "\n## " + section
		}
	}
	return p
}

func rowStart(t target, system string) string {
	return fmt.Sprintf("| %s | %d | %s |", t.Name, t.Size, system)
}

// cells returns the remaining cells of a row.
func cells(system string, runs []result) string {
	done := slices.DeleteFunc(slices.Clone(runs), func(r result) bool { return r.Failed != "" })
	if len(done) == 0 {
		return fmt.Sprintf(" failed: %s | | | | | | | %d |\n", runs[0].Failed, len(runs))
	}
	of := func(f func(result) float64) float64 { return median(done, f) }
	compiled := ""
	if share := of(func(r result) float64 { return r.Compiled }); strings.HasPrefix(system, "ppl") && share >= 0 {
		compiled = fmt.Sprintf("%.0f %%", 100*share)
	}
	return fmt.Sprintf(" %s | %s | %.0f | %s | %s | %s | %.0f MB | %d |\n",
		seconds(of(func(r result) float64 { return r.Processor })),
		seconds(of(func(r result) float64 { return r.Sampling })),
		of(func(r result) float64 { return r.ESS }), digits(of(func(r result) float64 { return r.ESS / r.Sampling })),
		digits(of(func(r result) float64 { return 1000 * r.ESS / r.Gradients })), compiled,
		of(func(r result) float64 { return r.Memory })/1e6, len(done))
}

func median(runs []result, f func(result) float64) float64 {
	values := make([]float64, len(runs))
	for i, r := range runs {
		values[i] = f(r)
	}
	return lab.Median(values)
}

func seconds(x float64) string { return digits(x) + " s" }

// digits formats a number with two decimals below 10, one below 100, and none otherwise.
func digits(x float64) string {
	switch {
	case x >= 100:
		return fmt.Sprintf("%.0f", x)
	case x >= 10:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2f", x)
}
