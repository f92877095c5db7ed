// Arviz draws from small models with every sampler of ppl, opens the runs in ArviZ, calls every plot that takes a
// posterior (plots.py), and writes a table of the results, for each given Python interpreter and its version of ArviZ:
//
//	go run ./bench/arviz -ppl ./ppl old/bin/python new/bin/python > bench/ARVIZ.md
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

func main() {
	ppl := flag.String("ppl", "ppl", "the `program`")
	here := flag.String("dir", "bench/arviz", "`directory` of the models and of plots.py")
	flag.Parse()
	if err := report(os.Stdout, *ppl, *here, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// report makes the runs in a temporary directory and writes the table.
func report(w io.Writer, ppl, here string, pythons []string) error {
	dir, err := os.MkdirTemp("", "arviz")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	names, err := samplersOf(ppl)
	if err != nil {
		return err
	}
	all := cases(names)
	if err := sampleAll(ppl, here, dir, all); err != nil {
		return err
	}
	fmt.Fprint(w, head)
	bad := 0
	for _, python := range pythons {
		found, err := plotAll(python, here, dir, all)
		if err != nil {
			return fmt.Errorf("%s: %w", python, err)
		}
		bad += found.write(w, all)
	}
	if bad > 0 {
		return fmt.Errorf("%d plots or statistics are wrong", bad)
	}
	return nil
}

const head = `# ArviZ on runs of ppl

Every plot of ArviZ that takes a posterior, called on runs of every sampler, drawn to the last pixel, and the types of the
statistics. Written by ` + "`make arviz`" + `; a case is a row of bench/arviz/cases.go, a call a row of bench/arviz/plots.py.
A plot of the sensitivity to priors (psense) fits a tail to importance weights. It fails if all weights
of the tail are equal, as in a run whose chains do not move. This can happen with renhd-paper, the published algorithm.
`

// write writes the table of one version and returns the number of failures.
func (f found) write(w io.Writer, all []sampled) (bad int) {
	fmt.Fprintf(w, "\n## ArviZ %s: %d plots\n\n| run | plots drawn | failed | draws after a divergence | left out |\n"+
		"|---|---|---|---|---|\n", f.Version, len(f.All))
	for i, c := range all {
		r := f.Runs[i]
		failed := append(r.failures(), c.wrong(r)...)
		bad += len(failed)
		fmt.Fprintf(w, "| %s | %d | %s | %d | %s |\n", c.name, len(r.Plots), orNone(failed), r.Divergences,
			orNone(f.leftOut(r)))
	}
	return bad
}

// leftOut returns the plots that were not called, because the run lacks what they need.
func (f found) leftOut(r plotted) []string {
	return slices.DeleteFunc(slices.Clone(f.All), func(name string) bool {
		_, called := r.Plots[name]
		return called
	})
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "0"
	}
	return strings.ReplaceAll(strings.Join(names, ", "), "plot_", "")
}
