package loo

import (
	"fmt"
	"io"
	"math"

	"gonum.org/v1/gonum/floats"

	"ppl/posterior/layout"
	"ppl/posterior/stats"
	"ppl/posterior/store"
)

// A SubsampleComparison ranks the models of several runs by how well they predict the same rows, best first. It
// estimates this from a subsample of the rows.
type SubsampleComparison struct{ Models []SubsampleCompared }

// SubsampleCompared is one model of a comparison.
type SubsampleCompared struct {
	Result SubsampleResult
	Behind stats.Subsampled // elpd of the best model minus that of this one
	Weight float64          // stacking weight, estimated from the subsample
}

// CompareSubsamples compares models for which the same subsample of rows was left out. A difference between two models
// is approximated in every row by the difference of their approximations, so that their common part cancels before the
// subsample corrects it. Stacking maximises a mean over rows, which the mean over the subsample estimates without bias.
func CompareSubsamples(each []SubsampleResult) SubsampleComparison {
	bestFirst(each, func(l SubsampleResult) float64 { return l.ELPD })
	var c SubsampleComparison
	var models []stats.Pointwise
	for _, l := range each {
		models = append(models, l.Part)
		c.Models = append(c.Models, SubsampleCompared{Result: l, Behind: less(each[0], l)})
	}
	for i, w := range stats.Stacking(models) {
		c.Models[i].Weight = w
	}
	return c
}

// less estimates the elpd of a minus that of b, over all rows.
func less(a, b SubsampleResult) stats.Subsampled {
	minus := func(x, y []float64) []float64 { return floats.SubTo(make([]float64, len(x)), x, y) }
	return stats.Subsample(minus(a.Rough, b.Rough), a.Rows,
		stats.Pointwise{ELPD: minus(a.Part.ELPD, b.Part.ELPD), P: minus(a.Part.P, b.Part.P)})
}

// Text prints a table with a row for each model.
func (c SubsampleComparison) Text(w io.Writer, width int) error {
	best := c.Models[0].Result
	title := fmt.Sprintf("Prediction of %s left out one at a time, estimated from %s of %s rows, the same for each "+
		"model; the best model first. se is the standard error over rows, ± that of the choice of rows.",
		best.Variable.Name, layout.Thousands(int64(len(best.Rows))), layout.Thousands(int64(len(best.Rough))))
	rows := [][]string{{"run", "elpd_loo", "±", "se", "elpd_diff", "±", "se_diff", "weight", "bad k̂"}}
	for _, m := range c.Models {
		rows = append(rows, []string{m.Result.Dir, digit(m.Result.ELPD), digit(m.Result.ELPDSE), digit(m.Result.SE),
			digit(-m.Behind.ELPD), digit(m.Behind.ELPDSE), digit(m.Behind.SE), fmt.Sprintf("%.2f", m.Weight),
			fmt.Sprint(m.Result.Bad())})
	}
	return comparisonText(w, width, title, rows, c.notes())
}

// notes returns warnings and remarks about the comparison.
func (c SubsampleComparison) notes() (notes []string) {
	for _, m := range c.Models {
		if few := tooFewDraws(m.Result.Dir, m.Result.Draws); few != "" {
			notes = append(notes, "warning: "+few)
		} else if n := m.Result.Bad(); n > 0 {
			notes = append(notes,
				fmt.Sprintf("warning: in %s, %d of these rows %s a Pareto k̂ above %.2f, so its elpd_loo is "+
					"usually too high. `ppl loo %s` without --rows names them.", m.Result.Dir, n,
					layout.Plural(n, "has", "have"), maxK(m.Result.Draws), m.Result.Dir))
		}
	}
	second := c.Models[1].Behind
	notes = append(notes, closeness(second.ELPD, math.Hypot(second.SE, second.ELPDSE))...)
	if second.ELPDSE > second.SE {
		notes = append(notes,
			"Most of the uncertainty about the difference between the first two comes from the choice of rows: a "+
				"larger --rows reduces it.")
	}
	return notes
}

type subsampleComparedRow struct {
	Run        string       `json:"run"`
	ELPD       store.Number `json:"elpd_loo"`
	ELPDSE     store.Number `json:"subsampling_se"`
	SE         store.Number `json:"se"`
	P          store.Number `json:"p_loo"`
	Diff       store.Number `json:"elpd_diff"`
	DiffELPDSE store.Number `json:"subsampling_se_diff"`
	DiffSE     store.Number `json:"se_diff"`
	Weight     store.Number `json:"weight"`
	BadRows    int          `json:"bad_rows"`
}

// JSON prints the comparison as one object.
func (c SubsampleComparison) JSON(w io.Writer) error {
	rows := []subsampleComparedRow{}
	for _, m := range c.Models {
		rows = append(rows, subsampleComparedRow{m.Result.Dir, store.Number(m.Result.ELPD),
			store.Number(m.Result.ELPDSE),
			store.Number(m.Result.SE), store.Number(m.Result.P), store.Number(0 - m.Behind.ELPD),
			store.Number(m.Behind.ELPDSE), store.Number(m.Behind.SE), store.Number(m.Weight),
			m.Result.Bad()})
	}
	best := c.Models[0].Result
	return layout.WriteJSON(w, struct {
		Of     string                 `json:"of"`
		Rows   int                    `json:"rows"`
		Chosen int                    `json:"rows_left_out"`
		Models []subsampleComparedRow `json:"models"`
	}{best.Variable.Name, len(best.Rough), len(best.Rows), rows})
}
