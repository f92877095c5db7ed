package stopping

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"ppl/posterior/stats"
	"ppl/posterior/store"
)

// manyErrors is the number of standard errors from which the difference between two runs counts as disagreement. If two
// runs agree, the largest difference among a thousand quantities exceeds it in about 1 % of cases.
const manyErrors = 4.5

// A Difference compares the means of one element in two runs.
type Difference struct {
	Element     string
	Here, There Estimate
}

// An Estimate is a mean with its Monte Carlo standard error.
type Estimate struct{ Mean, Error float64 }

func (e Estimate) String() string { return fmt.Sprintf("%.3g ± %.2g", e.Mean, e.Error) }

// Disagree reports whether the means of some element in two runs differ by more than manyErrors standard errors, and
// returns the element with the largest such difference. It ignores chains of the other run that had not reached the
// posterior, and elements without a mean.
func Disagree(run, other *store.Run) (most Difference, disagree bool, err error) {
	skip, err := onTheWay(run, other)
	if err != nil {
		return most, false, err
	}
	without := slices.Concat(run.Info.Report.NoMean, other.Info.Report.NoMean)
	worst := manyErrors
	for _, v := range run.Layout.Posterior {
		here, err := run.Draws(v.Name)
		if err != nil {
			return most, false, err
		}
		there, err := other.Draws(v.Name)
		if err != nil {
			return most, false, err
		}
		for i := range v.Size() {
			d := Difference{v.Element(i), estimate(here, i, v.Size(), nil), estimate(there, i, v.Size(), skip)}
			if z := d.errors(); z > worst && !slices.Contains(without, d.Element) {
				most, worst, disagree = d, z, true
			}
		}
	}
	return most, disagree, nil
}

// errors returns the difference of the means in standard errors, or NaN if an error is unknown.
func (d Difference) errors() float64 {
	return math.Abs(d.Here.Mean-d.There.Mean) / math.Hypot(d.Here.Error, d.There.Error)
}

// estimate returns the mean of one element over the chains that are not skipped.
func estimate(chains [][]float64, i, size int, skip []bool) Estimate {
	var xs [][]float64
	for c, chain := range chains {
		if skip == nil || !skip[c] {
			xs = append(xs, element(chain, i, size))
		}
	}
	if len(xs) == 0 {
		return Estimate{math.NaN(), math.NaN()}
	}
	return Estimate{stat.Mean(slices.Concat(xs...), nil), stats.MCSEMean(xs)}
}

// Warning returns the warning for the second of two attempts, whose draws are kept.
func (d Difference) Warning() store.Warning {
	return store.Warning{
		Fact: fmt.Sprintf("Two attempts disagree: the mean of %s was %v in the first, and is %v in the second, whose "+
			"draws these are.", d.Element, d.There, d.Here),
		Reason: "One of them has missed a part of the posterior, or has given its parts wrong weights. Agreement of " +
			"the chains within an attempt does not exclude that.",
		Advice: []store.Advice{{Do: store.Raise, On: "warmup",
			Text: "Sample again with another seed and a longer warm-up (--seed, --warmup), and compare the means."}},
	}
}
