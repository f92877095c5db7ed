package diagnose

import (
	"fmt"

	"ppl/posterior/store"
)

// leastMissing is the smallest missing share of the posterior that is reported. If this share is missing, the mean of
// the missing region's indicator is off by about a twentieth of its standard deviation.
const leastMissing = 0.003

// missing warns if the density shows that draws lack part of the posterior in a region near divergences.
func missing(f *findings) (w store.Warning) {
	o, ok := f.mostMissing()
	if !ok || o.Missing() < leastMissing {
		return w
	}
	side := "below"
	if o.Above {
		side = "above"
	}
	return store.Warning{
		Fact: fmt.Sprintf("About %.2g %% of the posterior is missing from the draws: it has %.2g %% with %s %s %.2g, "+
			"and %.2g %% of the draws are there.", 100*o.Missing(), 100*o.Expected, o.Parameter, side, o.Value,
			100*o.Drawn),
		Reason: "Trajectories diverge on the way there, so that means, and quantiles near that end, are off. The " +
			"share is estimated from the density, with the other parameters integrated out.",
		Advice: []store.Advice{f.otherCoordinates()},
	}
}

// mostMissing returns the outlook with the largest missing share. ok is false if the run has no outlooks.
func (f *findings) mostMissing() (most store.Outlook, ok bool) {
	for _, o := range f.run.Report.Outlooks {
		if !ok || o.Missing() > most.Missing() {
			most, ok = o, true
		}
	}
	return most, ok
}
