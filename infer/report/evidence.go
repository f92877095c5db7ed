package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"ppl/infer/draws"
	"ppl/infer/evidence"
)

// An Evidence is how probable a model makes its data, by a run of it.
type Evidence struct {
	Dir string
	evidence.Result
}

// Evidences are those of several models of the same data, the greatest first.
type Evidences []Evidence

// CompareEvidence sorts. It refuses runs whose data are not the same, as their evidences have no ratio.
func CompareEvidence(runs []*draws.Run, results []evidence.Result) (Evidences, error) {
	var all Evidences
	for i, r := range runs {
		if err := sameData(runs[0], r); err != nil {
			return nil, err
		}
		all = append(all, Evidence{r.Dir, results[i]})
	}
	bestFirst(all, func(e Evidence) float64 { return e.LogZ })
	return all, nil
}

// sameData refuses runs that observe different data.
func sameData(a, b *draws.Run) error {
	what := fmt.Sprintf("%s and %s cannot be compared: ", a.Dir, b.Dir)
	if x, y := observedNames(a), observedNames(b); !slices.Equal(x, y) {
		return Unusable{fmt.Sprintf("%sthe first observes %s, the second %s; the evidence is a density of the "+
			"data, and only those of the same data have a ratio", what, list(x), list(y))}
	}
	for _, name := range observedNames(a) {
		x, err := a.ObservedData(name)
		if err != nil {
			return err
		}
		y, err := b.ObservedData(name)
		if err != nil {
			return err
		}
		if !sameValues(x, y) {
			return Unusable{what + "they observed different values of " + name + "; a transformed response has " +
				"another density, too"}
		}
	}
	return nil
}

func observedNames(r *draws.Run) (names []string) {
	for _, o := range r.Layout.Observed {
		names = append(names, o.Name)
	}
	slices.Sort(names)
	return names
}

func list(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}

// Probabilities are those of the models if exactly one of them is true, and all were equally probable before the
// data.
func (all Evidences) Probabilities() []float64 {
	logs := make([]float64, len(all))
	for i, e := range all {
		logs[i] = e.LogZ
	}
	total := floats.LogSumExp(logs)
	for i := range logs {
		logs[i] = math.Exp(logs[i] - total)
	}
	return logs
}

// BayesFactor is the logarithm of how many times more probable the first model makes the data than the k-th, with its
// standard error.
func (all Evidences) BayesFactor(k int) (log, se float64) {
	if k == 0 {
		return 0, 0
	}
	return all[0].LogZ - all[k].LogZ, math.Hypot(all[0].SE, all[k].SE)
}

// Text prints a line for each model, and what speaks against the numbers.
func (all Evidences) Text(w io.Writer, width int) error {
	var b strings.Builder
	if len(all) == 1 {
		e := all[0]
		fmt.Fprintf(&b, "log evidence  %.3f ± %.3f\n\n", e.LogZ, e.SE)
		paragraph(&b, "", fmt.Sprintf("%s: the logarithm of the density of the data under the model, averaged "+
			"over the "+
			"prior, by bridge sampling from %s draws to "+
			"%s.", e.Dir, thousands(int64(e.Draws)), normals(e.Normals)), width)
	} else {
		all.table(&b)
		b.WriteByte('\n')
		paragraph(&b, "", "The logarithm of the density of the data under each model, averaged over its prior, "+
			"by bridge "+
			"sampling; how many times more probable the first model makes the data, as a logarithm; and "+
			"probabilities of "+
			"the models, if all were equally probable before.", width)
	}
	for _, warning := range all.warnings() {
		paragraph(&b, "warning: ", warning, width)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func normals(n int) string {
	if n == 1 {
		return "a normal distribution"
	}
	return fmt.Sprintf("a mixture of %d normal distributions", n)
}

func (all Evidences) table(b *strings.Builder) {
	rows := [][]string{{"run", "log evidence", "se", "log Bayes factor", "se", "probability"}}
	probabilities := all.Probabilities()
	for k, e := range all {
		factor, se := all.BayesFactor(k)
		rows = append(rows, []string{e.Dir, thousandths(e.LogZ), thousandths(e.SE), thousandths(factor),
			thousandths(se),
			thousandths(probabilities[k])})
	}
	columns(b, rows)
}

// coarse is the standard error above which an estimate says little: a factor of 1.6 in the evidence.
const coarse = 0.5

func (all Evidences) warnings() (out []string) {
	for _, e := range all {
		switch {
		case e.RHat > MaxRHat:
			out = append(out, fmt.Sprintf("the chains of %s do not agree (R-hat %.2f): where a mode is missing "+
				"or has a "+
				"wrong weight, the evidence is wrong, too. ppl diagnose %s says more.", e.Dir, e.RHat, e.Dir))
		case e.Disagree():
			out = append(out, fmt.Sprintf("the two halves of the draws of %s give %.3f and %.3f, farther apart "+
				"than their "+
				"errors allow; draw more.", e.Dir, e.Halves[0], e.Halves[1]))
		case !(e.SE < coarse):
			out = append(out, fmt.Sprintf("the estimate for %s is coarse: a mixture of normals does not come "+
				"near the "+
				"posterior; draw more.", e.Dir))
		}
	}
	return out
}

type evidenceObject struct {
	Run         string         `json:"run"`
	LogEvidence draws.Number   `json:"log_evidence"`
	SE          draws.Number   `json:"se"`
	BayesFactor draws.Number   `json:"log_bayes_factor"` // of the best against this model
	FactorSE    draws.Number   `json:"log_bayes_factor_se"`
	Probability draws.Number   `json:"probability"`
	Halves      []draws.Number `json:"halves"`
	Normals     int            `json:"normals"`
	RHat        draws.Number   `json:"r_hat"`
	Draws       int            `json:"draws"`
	Warnings    []string       `json:"warnings"`
}

// JSON prints a list with an object for each model.
func (all Evidences) JSON(w io.Writer) error {
	out := []evidenceObject{}
	probabilities := all.Probabilities()
	for k, e := range all {
		factor, se := all.BayesFactor(k)
		out = append(out, evidenceObject{e.Dir, draws.Number(e.LogZ), draws.Number(e.SE), draws.Number(factor),
			draws.Number(se), draws.Number(probabilities[k]), draws.Numbers(e.Halves[:]), e.Normals,
			draws.Number(e.RHat),
			e.Draws, append([]string{}, Evidences{e}.warnings()...)})
	}
	return printJSON(w, out)
}
