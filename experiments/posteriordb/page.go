package main

import (
	"fmt"
	"slices"
	"strings"

	"ppl/experiments/lab"
)

// page returns the table of the runs with their verdicts.
func page(all []posterior, runs []run, models, flags string) string {
	table := lab.Table{Columns: []string{"posterior", "numbers", "seed", "verdict", "compared", "sd, worst ratio",
		"R-hat", "least ess", "gradients", "seconds", "says"}}
	count := map[string]int{}
	var missing []string
	for _, p := range all {
		seen := false
		for _, r := range runs {
			if r.Posterior != p.Name {
				continue
			}
			seen = true
			count[r.verdict()]++
			r.add(&table)
		}
		if !seen {
			missing = append(missing, p.Name)
		}
	}
	var verdicts []string
	for v, n := range count {
		verdicts = append(verdicts, fmt.Sprintf("%s %d", v, n))
	}
	slices.Sort(verdicts)
	left := "none"
	if len(missing) > 0 {
		left = strings.Join(missing, ", ")
	}
	return fmt.Sprintf(text, models, flags, len(runs), strings.Join(verdicts, "; "), left, lab.Machine(),
		table.String())
}

func (r run) add(table *lab.Table) {
	if r.Exit != 0 {
		table.Add(r.Posterior, "", r.Seed, r.verdict(), "", "", "", "", "", r.Seconds, firstLine(r.Said))
		return
	}
	ratio, says := "", r.Wrong
	if r.Compared > 0 {
		ratio = fmt.Sprintf("%+.1f %%", 100*r.LogRatio)
	}
	if len(r.Warnings) > 0 {
		says = strings.Trim(says+"; "+r.Warnings[0], "; ")
	}
	table.Add(r.Posterior, r.Parameters, r.Seed, r.verdict(), r.Compared, ratio, fmt.Sprintf("%.3f", r.RHat), r.ESS,
		float64(r.Gradients), r.Seconds, says)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

const text = `# posteriordb at default settings

Every posterior of posteriordb (Magnusson et al. 2025), one thread, nothing set. Where there are reference draws, a run
is right if mean, 5 %%, 50 %% and 95 %% quantiles of all parameters that have the same name agree within four Monte
Carlo standard errors of both sides, or within .02 standard deviations; it is wrong in any case if one is off by more
than .3.
Elsewhere it converged if R-hat is at most 1.01. It is flagged where R-hat is above 1.01 or there is a warning.
%s

    go run ./experiments/posteriordb -db PATH/posterior_database%s

%d runs: %s.
Not run: %s.

%s; seconds are those of a processor, of the whole command, the C compiler among them. A run that is
out of time had 60 to 100 s of the clock.

%s`
