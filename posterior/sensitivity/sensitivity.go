// Package sensitivity reports how much the posterior of each quantity changes if the prior or the likelihood has more
// or less weight (Kallioinen, Paananen, Bürkner, Vehtari, "Detecting and diagnosing prior and likelihood sensitivity
// with power-scaling", Statistics and Computing 2024).
//
//	s, err := sensitivity.Of(run, []string{"mu"}, nil)
//	s.Quantities[0].Prior         0.12
//	s.Quantities[0].Likelihood    0.03
//	s.Quantities[0].Verdict()     the prior decides, the data say little
package sensitivity

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"ppl/posterior/layout"
	"ppl/posterior/quantities"
	"ppl/posterior/stats"
	"ppl/posterior/store"
)

// A Report holds the sensitivity of each quantity to the weights of priors and likelihood.
type Report struct {
	Dir        string
	Every      int      // distance between the draws used; 1 for all draws
	Priors     []string // names of the priors scaled together
	Quantities []Quantity
}

// A Quantity is one quantity's sensitivity to the scaled priors and to the likelihood (stats.Scaling).
type Quantity struct {
	Name              string
	Prior, Likelihood float64
}

// shown is the number of quantities that are printed in any case. Further ones are printed only if they have a verdict.
const shown = 40

// sensitive is the smallest sensitivity that matters (Kallioinen et al. 2024).
const sensitive = 0.05

// Verdict interprets the two sensitivities. It is empty if there is no problem.
func (s Quantity) Verdict() string {
	switch {
	case s.Prior >= sensitive && s.Likelihood >= sensitive:
		return "prior and data may disagree"
	case s.Prior >= sensitive:
		return "the prior decides, the data say little"
	}
	return ""
}

// sensitivityDraws is the maximum number of draws (of all chains) that are weighted. Each needs about 100 bytes.
const sensitivityDraws = 1 << 18

// Of returns the sensitivity of the named variables, or of all if names is empty, to the likelihood and to the given
// priors. If no priors are given, it scales those that depend on no other parameter. If there are more than
// sensitivityDraws draws, it uses evenly spaced ones.
func Of(r *store.Run, names, priors []string) (Report, error) {
	s := Report{Dir: r.Dir, Priors: priors}
	r, s.Every = r.Within(sensitivityDraws)
	if len(priors) == 0 {
		s.Priors = r.Layout.TopLevel
	}
	prior, err := priorDensity(r, s.Priors)
	if err != nil {
		return s, err
	}
	likelihood, err := logLikelihood(r)
	if err != nil {
		return s, err
	}
	selected, err := quantities.Select(r.Layout.Posterior, names, r)
	if err != nil {
		return s, err
	}
	byPrior, byData := stats.PowerScale(prior), stats.PowerScale(likelihood)
	for _, x := range selected {
		v := x.Variable
		found, asked := make([]Quantity, v.Size()), make([]bool, v.Size())
		for _, i := range x.Elements {
			asked[i] = true
		}
		err := quantities.Reader{Run: r}.Each(store.PosteriorDraws, v, nil, func(i int, q quantities.Quantity,
			_ *stats.Workspace) {
			if asked[i] {
				xs := slices.Concat(q.Chains...)
				found[i] = Quantity{v.Element(i), byPrior.Sensitivity(xs), byData.Sensitivity(xs)}
			}
		})
		if err != nil {
			return s, err
		}
		for _, i := range x.Elements {
			s.Quantities = append(s.Quantities, found[i])
		}
	}
	return s, nil
}

// logLikelihood returns the log likelihood of all data at each draw, chain after chain. With minibatches, the sampler's
// own value is only an estimate, so the sum over rows is used.
func logLikelihood(r *store.Run) ([]float64, error) {
	if r.HasStat("log_lik") {
		chains, err := r.Stats("log_lik")
		return slices.Concat(chains...), err
	}
	if len(r.Layout.LogLikelihood) == 0 {
		return nil, fmt.Errorf("%s has only estimates of its log likelihood, from minibatches: sample with "+
			"--set log_likelihood=on", r.Dir)
	}
	sum := make([]float64, r.Layout.Chains*r.Info.Draws)
	for _, v := range r.Layout.LogLikelihood {
		chains, err := r.LogLikelihood(v.Name)
		if err != nil {
			return nil, err
		}
		for k, x := range slices.Concat(chains...) {
			sum[k/v.Size()] += x
		}
	}
	return sum, nil
}

// priorDensity returns the joint log density of the given priors at each draw, chain after chain.
func priorDensity(r *store.Run, priors []string) ([]float64, error) {
	switch {
	case r.Info.Draws < 10:
		return nil, quantities.Unusable{Reason: r.Dir + " has too few draws: sensitivities need at least 10 of each " +
			"chain"}
	case len(r.Layout.Parameters) == 0:
		return nil, quantities.Unusable{Reason: r.Dir + " has no parameters, and so no priors"}
	case len(r.Layout.LogPrior) == 0:
		return nil, quantities.Unusable{Reason: r.Dir + " does not hold the log densities of priors; sample the " +
			"model again"}
	case len(priors) == 0:
		return nil, quantities.Unusable{Reason: "every prior depends on other parameters; name those to scale with " +
			"--prior"}
	}
	sum := make([]float64, r.Layout.Chains*r.Info.Draws)
	known, err := quantities.Select(r.Layout.LogPrior, priors, r)
	if err != nil {
		return nil, err
	}
	for _, x := range known {
		chains, err := r.LogPrior(x.Variable.Name)
		if err != nil {
			return nil, err
		}
		for i, x := range slices.Concat(chains...) {
			sum[i] += x
		}
	}
	return sum, nil
}

// Text prints a table with a row for each quantity.
func (s Report) Text(w io.Writer, width int) error {
	var b strings.Builder
	layout.Paragraph(&b, "", fmt.Sprintf("%s: sensitivity of each posterior to the weight of the priors of %s, and of "+
		"the likelihood; %v or more matters.", s.Dir, strings.Join(s.Priors, ", "), sensitive), width)
	if s.Every > 1 {
		layout.Paragraph(&b, "", fmt.Sprintf("From one of every %d draws of each chain.", s.Every), width)
	}
	b.WriteByte('\n')
	rows := [][]string{{"", "prior", "likelihood", ""}}
	left := 0
	for _, q := range s.Quantities {
		if len(rows) > shown && q.Verdict() == "" {
			left++
			continue
		}
		rows = append(rows, []string{q.Name, layout.Thousandths(q.Prior), layout.Thousandths(q.Likelihood),
			q.Verdict()})
	}
	layout.Columns(&b, rows)
	if left > 0 {
		fmt.Fprintf(&b, "%s more without a warning are not shown: --json prints all.\n",
			layout.Thousands(int64(left)))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

type quantityObject struct {
	Name       string       `json:"name"`
	Prior      store.Number `json:"prior"`
	Likelihood store.Number `json:"likelihood"`
	Verdict    string       `json:"verdict"`
}

// JSON prints the sensitivities as one object.
func (s Report) JSON(w io.Writer) error {
	out := []quantityObject{}
	for _, q := range s.Quantities {
		out = append(out, quantityObject{q.Name, store.Number(q.Prior), store.Number(q.Likelihood), q.Verdict()})
	}
	every := 0 // omitted if all draws are used
	if s.Every > 1 {
		every = s.Every
	}
	return layout.WriteJSON(w, struct {
		Run        string           `json:"run"`
		Every      int              `json:"every,omitempty"`
		Priors     []string         `json:"priors"`
		Quantities []quantityObject `json:"quantities"`
	}{s.Dir, every, s.Priors, out})
}
