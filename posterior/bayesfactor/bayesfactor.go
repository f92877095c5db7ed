// Package bayesfactor compares the log evidence of models of the same data.
//
//	c, err := bayesfactor.Compare(runs, results)    results by package evidence, for each run
//	c.Probabilities()                               [0.91 0.09], if both models were equally probable before
//	log, se := c.BayesFactor(1)                     of the best model against the second
//	err = c.Text(os.Stdout, 80)
package bayesfactor

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"ppl/posterior/evidence"
	"ppl/posterior/layout"
	"ppl/posterior/quantities"
	"ppl/posterior/stats"
	"ppl/posterior/store"
)

// A Model holds the estimates of a model's log evidence from one run.
type Model struct {
	Dir string
	evidence.Results
}

// Comparison holds the evidences of several models of the same data, largest first.
type Comparison []Model

// Compare sorts the evidences. It returns an error if runs observe different data, since their evidences cannot
// be compared.
func Compare(runs []*store.Run, results []evidence.Results) (Comparison, error) {
	var all Comparison
	for i, r := range runs {
		if err := sameData(runs[0], r); err != nil {
			return nil, err
		}
		all = append(all, Model{r.Dir, results[i]})
	}
	slices.SortStableFunc(all, func(a, b Model) int { return cmp.Compare(b.Best().Value, a.Best().Value) })
	return all, nil
}

// AlongLadder estimates log Z at temperature 1 minus log Z at the hottest temperature. The error is evidence.Unusable
// if the run has no ladder or kept too few draws of it.
func AlongLadder(r *store.Run) (*evidence.Ratios, error) {
	l, err := r.Ladder()
	switch {
	case err != nil:
		return nil, err
	case l == nil:
		return nil, evidence.Unusable("the run stored no energies of the rungs (runs with minibatches, with dynamics " +
			"that reject nothing, or by an earlier version of ppl do not)")
	}
	out, err := evidence.Ladder{Betas: l.Betas, Energies: l.Energies}.Ratios()
	if err != nil {
		return nil, err
	}
	return &out, nil
}

// sameData returns an error if two runs observe different data.
func sameData(a, b *store.Run) error {
	what := fmt.Sprintf("%s and %s cannot be compared: ", a.Dir, b.Dir)
	if x, y := observedNames(a), observedNames(b); !slices.Equal(x, y) {
		return quantities.Unusable{Reason: fmt.Sprintf("%sthe first observes %s, the second %s, and Bayes factors "+
			"need the same data", what, list(x), list(y))}
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
		if !quantities.SameValues(x, y) {
			return quantities.Unusable{Reason: what + "they observed different values of " + name + " (a transformed " +
				"response counts as different, since its density differs)"}
		}
	}
	return nil
}

func observedNames(r *store.Run) (names []string) {
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

// Probabilities returns the posterior probabilities of the models, assuming that exactly one of them is true and that
// all have the same prior probability.
func (all Comparison) Probabilities() []float64 {
	logs := make([]float64, len(all))
	for i, e := range all {
		logs[i] = e.Best().Value
	}
	total := floats.LogSumExp(logs)
	for i := range logs {
		logs[i] = math.Exp(logs[i] - total)
	}
	return logs
}

// BayesFactor returns the log Bayes factor of the best model against the k-th, with its standard error.
func (all Comparison) BayesFactor(k int) (log, se float64) {
	if k == 0 {
		return 0, 0
	}
	best, other := all[0].Best(), all[k].Best()
	return best.Value - other.Value, math.Hypot(best.SE, other.SE)
}

// Text prints the log evidence of each model, and warnings.
func (all Comparison) Text(w io.Writer, width int) error {
	var b strings.Builder
	if len(all) == 1 {
		all[0].text(&b, width)
	} else {
		all.table(&b)
		b.WriteByte('\n')
		how := "by bridge sampling"
		if slices.ContainsFunc(all, func(e Model) bool { return e.Ladder != nil }) {
			how += " from draws at temperature 1, or along a ladder of temperatures if that has the smaller error " +
				"(ppl evidence of one run shows both)"
		}
		layout.Paragraph(&b, "", "log evidence: the logarithm of the density of the data under the model, averaged "+
			"over its prior, "+how+". log Bayes factor: log evidence of the first model minus that of this one. "+
			"probability: of the model, if all are equally probable a priori.", width)
	}
	for _, warning := range all.warnings() {
		layout.Paragraph(&b, "warning: ", warning, width)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// text prints the estimates for one model.
func (e Model) text(b *strings.Builder, width int) {
	best, m := e.Best(), e.Mixture
	fmt.Fprintf(b, "log evidence  %.3f ± %.3f\n\n", best.Value, best.SE)
	what := e.Dir + ": the logarithm of the density of the data under the model, averaged over the prior, "
	mixture := fmt.Sprintf("by bridge sampling from %s draws to %s.", layout.Thousands(int64(m.Draws)),
		normals(m.Normals))
	if m.Normals == 0 {
		mixture = "which is their likelihood, since there are no parameters."
	}
	if e.Ladder == nil {
		if e.NoLadder != "" {
			mixture += " The ladder gives no estimate: " + e.NoLadder + "."
		}
		layout.Paragraph(b, "", what+mixture, width)
		return
	}
	rows := [][]string{{"estimate", "log evidence", "se"}}
	for _, x := range e.estimates() {
		rows = append(rows, []string{x.Method, layout.Thousandths(x.Value), layout.Thousandths(x.SE)})
	}
	layout.Columns(b, rows)
	b.WriteByte('\n')
	end := "the prior"
	if hottest := e.Ladder.Hottest; hottest != nil {
		betas := e.Ladder.Betas
		end = fmt.Sprintf("temperature %.3g, whose log integral is estimated by a bridge from %s draws there to %s "+
			"(%.3f ± %.3f)", 1/betas[len(betas)-1], layout.Thousands(int64(hottest.Draws)), normals(hottest.Normals),
			hottest.LogZ, hottest.SE)
	}
	layout.Paragraph(b, "", fmt.Sprintf("%sfrom draws at %d temperatures, from 1 to %s. The mixture: %s", what,
		len(e.Ladder.Betas), end, mixture), width)
}

// An estimate is a log evidence with the name of the method.
type estimate struct {
	Method string
	evidence.Log
}

// estimates returns all available estimates for a model.
func (e Model) estimates() []estimate {
	out := []estimate{{"bridge to a mixture", evidence.Log{Value: e.Mixture.LogZ, SE: e.Mixture.SE}}}
	if l := e.Ladder; l != nil {
		out = append(out, estimate{"bridges along the ladder", l.Bridges}, estimate{"stepping stones", l.Stones},
			estimate{"thermodynamic integration", l.Integral})
	}
	return out
}

func normals(n int) string {
	if n == 1 {
		return "a normal distribution"
	}
	return fmt.Sprintf("a mixture of %d normal distributions", n)
}

func (all Comparison) table(b *strings.Builder) {
	rows := [][]string{{"run", "log evidence", "se", "log Bayes factor", "se", "probability"}}
	probabilities := all.Probabilities()
	for k, e := range all {
		factor, se := all.BayesFactor(k)
		best := e.Best()
		rows = append(rows, []string{e.Dir, layout.Thousandths(best.Value), layout.Thousandths(best.SE),
			layout.Thousandths(factor),
			layout.Thousandths(se),
			layout.Thousandths(probabilities[k])})
	}
	layout.Columns(b, rows)
}

// coarse is the standard error from which a warning is printed; it is a factor of 1.6 in the evidence.
const coarse = 0.5

func (all Comparison) warnings() (out []string) {
	for _, e := range all {
		out = append(out, e.warnings()...)
	}
	return out
}

func (e Model) warnings() (out []string) {
	m := e.Mixture
	switch {
	case m.RHat > stats.MaxRHat:
		out = append(out, fmt.Sprintf("the chains of %s do not agree (R-hat %.2f): if a mode is missing or has a "+
			"wrong weight, the evidence is wrong, too. ppl diagnose %s shows more.", e.Dir, m.RHat, e.Dir))
	case m.Disagree():
		out = append(out, fmt.Sprintf("the two halves of the draws of %s give %.3f and %.3f, farther apart than their "+
			"errors allow; draw more.", e.Dir, m.Halves[0], m.Halves[1]))
	case !(e.Best().SE < coarse):
		out = append(out, fmt.Sprintf("the estimate for %s is imprecise, since a mixture of normals differs much from "+
			"the posterior; draw more.", e.Dir))
	}
	if l := e.Ladder; l != nil {
		out = append(out, ladderWarnings(e, l)...)
	}
	return out
}

func ladderWarnings(e Model, l *evidence.Ratios) (out []string) {
	switch {
	case l.Disagree():
		out = append(out, fmt.Sprintf("the estimates along the ladder of %s differ by %.1f standard errors: some "+
			"rung has wrong draws, or rungs are too far apart; draw more, or raise replicas.", e.Dir,
			l.Apart))
	case l.Hottest != nil && l.Hottest.Disagree():
		out = append(out, fmt.Sprintf("the two halves of the draws of %s at its hottest temperature give different "+
			"integrals, so that the estimates along the ladder are not reliable; draw more.", e.Dir))
	case e.Disagree():
		out = append(out, fmt.Sprintf("the bridge to a mixture and that along the ladder of %s differ by more than "+
			"their errors allow: the draws at temperature 1 or those of hotter rungs lack a part of their "+
			"distribution; draw more.", e.Dir))
	}
	return out
}

// An Object is the JSON form of a Model.
type Object struct {
	Run         string           `json:"run"`
	LogEvidence store.Number     `json:"log_evidence"`
	SE          store.Number     `json:"se"`
	BayesFactor store.Number     `json:"log_bayes_factor"` // of the best model against this model
	FactorSE    store.Number     `json:"log_bayes_factor_se"`
	Probability store.Number     `json:"probability"`
	Estimates   []estimateObject `json:"estimates"`
	Halves      []store.Number   `json:"halves"`
	Normals     int              `json:"normals"`
	RHat        store.Number     `json:"r_hat"`
	Draws       int              `json:"draws"`
	Curve       []curveObject    `json:"curve,omitempty"`
	NoLadder    string           `json:"no_ladder,omitempty"`
	Warnings    []string         `json:"warnings"`
}

type estimateObject struct {
	Method      string       `json:"method"`
	LogEvidence store.Number `json:"log_evidence"`
	SE          store.Number `json:"se"`
}

// A curveObject describes one rung: β, and the mean and SD of the quantity that β multiplies (the log likelihood or the
// log density).
type curveObject struct {
	Beta store.Number `json:"inverse_temperature"`
	Mean store.Number `json:"mean"`
	SD   store.Number `json:"sd"`
}

func (e Model) object(factor, se, probability float64) Object {
	best, m := e.Best(), e.Mixture
	out := Object{Run: e.Dir, LogEvidence: store.Number(best.Value), SE: store.Number(best.SE),
		BayesFactor: store.Number(factor), FactorSE: store.Number(se), Probability: store.Number(probability),
		Halves: store.Numbers(m.Halves[:]), Normals: m.Normals, RHat: store.Number(m.RHat), Draws: m.Draws,
		NoLadder: e.NoLadder, Warnings: append([]string{}, e.warnings()...)}
	for _, x := range e.estimates() {
		out.Estimates = append(out.Estimates, estimateObject{x.Method, store.Number(x.Value), store.Number(x.SE)})
	}
	if l := e.Ladder; l != nil {
		for j, beta := range l.Betas {
			out.Curve = append(out.Curve, curveObject{store.Number(beta), store.Number(l.Means[j]),
				store.Number(l.SDs[j])})
		}
	}
	return out
}

// JSON prints a list with an object for each model.
func (all Comparison) JSON(w io.Writer) error { return layout.WriteJSON(w, all.Objects()) }

// Objects returns the JSON forms of the models; nil if there are none.
func (all Comparison) Objects() (out []Object) {
	if len(all) == 0 {
		return nil
	}
	probabilities := all.Probabilities()
	for k, e := range all {
		factor, se := all.BayesFactor(k)
		out = append(out, e.object(factor, se, probabilities[k]))
	}
	return out
}
