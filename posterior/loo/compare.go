package loo

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"ppl/posterior/bayesfactor"
	"ppl/posterior/layout"
	"ppl/posterior/quantities"
	"ppl/posterior/stats"
	"ppl/posterior/store"
)

// A Comparison ranks the models of several runs by how well they predict the same rows, best first.
type Comparison struct {
	Of     string
	Models []Compared

	Evidence   bayesfactor.Comparison // largest first; nil if not requested
	NoEvidence string                 // reason why the requested evidence is missing
}

// Compared is one model of a comparison.
type Compared struct {
	Result Result
	Behind float64 // elpd of the best model minus that of this one
	SE     float64 // standard error of Behind, over rows
	Weight float64 // stacking weight
}

// Compare cross-validates the observed array called name in each run; if name is empty, CrossValidate chooses it. refit
// may replace estimates that the draws cannot give, by fitting the model again; it may be nil.
func Compare(runs []*store.Run, name string, refit func(r *store.Run, l *Result) error) (Comparison, error) {
	c := Comparison{}
	var first Rows
	for k, r := range runs {
		l, err := CrossValidate(r, name)
		if err == nil && refit != nil {
			err = refit(r, &l)
		}
		if err != nil {
			return c, err
		}
		data, err := observedOf(r, l.Variable.Name)
		if err != nil {
			return c, err
		}
		these := Rows{r.Dir, l.Variable.Name, l.Variable.Size(), data}
		if k == 0 {
			c.Of, first = l.Variable.Name, these
		} else if err := first.SameAs(these); err != nil {
			return c, err
		}
		c.Models = append(c.Models, Compared{Result: l})
	}
	bestFirst(c.Models, func(m Compared) float64 { return m.Result.PSIS.Total().ELPD })
	var models []stats.Pointwise
	for i := range c.Models {
		m := &c.Models[i]
		models = append(models, m.Result.PSIS)
		m.Behind, m.SE = stats.Difference(models[0], m.Result.PSIS)
	}
	for i, w := range stats.Stacking(models) {
		c.Models[i].Weight = w
	}
	return c, nil
}

// bestFirst sorts models by descending score.
func bestFirst[M any](models []M, score func(M) float64) {
	slices.SortStableFunc(models, func(a, b M) int { return cmp.Compare(score(b), score(a)) })
}

// observedOf returns the data of an observed array, or nil if the rows combine several arrays.
func observedOf(r *store.Run, name string) ([]float64, error) {
	if !slices.ContainsFunc(r.Layout.Observed, func(o store.Observed) bool { return o.Name == name }) {
		return nil, nil
	}
	return r.ObservedData(name)
}

// Rows identifies the rows that a model predicts.
type Rows struct {
	Dir  string
	Of   string
	N    int
	Data []float64 // nil if the rows combine several arrays
}

// SameAs returns an error if other has different rows, since comparing them row by row would be meaningless.
func (r Rows) SameAs(other Rows) error {
	what := fmt.Sprintf("%s and %s cannot be compared: ", r.Dir, other.Dir)
	if r.N != other.N {
		return quantities.Unusable{Reason: fmt.Sprintf("%sthe first predicts %s in %d rows, the second %s in %d", what,
			r.Of, r.N,
			other.Of, other.N)}
	}
	if r.Data != nil && other.Data != nil && !quantities.SameValues(r.Data, other.Data) {
		return quantities.Unusable{Reason: what + "they observed different data (a transformed response counts as " +
			"different, since its density differs)"}
	}
	return nil
}

// Text prints a table with a row for each model.
func (c Comparison) Text(w io.Writer, width int) error {
	title := fmt.Sprintf("Prediction of %s left out one at a time, %s rows; the best model first.", c.Of,
		layout.Thousands(int64(c.Models[0].Result.Variable.Size())))
	rows := [][]string{{"run", "elpd_loo", "se", "p_loo", "elpd_diff", "se_diff", "weight", "bad k̂"}}
	for _, m := range c.Models {
		t := m.Result.PSIS.Total()
		rows = append(rows, []string{m.Result.Dir, digit(t.ELPD), digit(t.SE), digit(t.P), digit(-m.Behind),
			digit(m.SE),
			fmt.Sprintf("%.2f", m.Weight), fmt.Sprint(len(m.Result.Bad()))})
	}
	if err := comparisonText(w, width, title, rows, c.notes()); err != nil {
		return err
	}
	switch {
	case c.Evidence != nil:
		if _, err := io.WriteString(w, "\n"); err != nil {
			return err
		}
		return c.Evidence.Text(w, width)
	case c.NoEvidence != "":
		var b strings.Builder
		layout.Paragraph(&b, "", "There are no Bayes factors: "+c.NoEvidence, width)
		_, err := io.WriteString(w, b.String())
		return err
	}
	return nil
}

// comparisonText prints a title, a table and notes.
func comparisonText(w io.Writer, width int, title string, rows [][]string, notes []string) error {
	var b strings.Builder
	layout.Paragraph(&b, "", title, width)
	b.WriteByte('\n')
	layout.Columns(&b, rows)
	b.WriteByte('\n')
	for _, note := range notes {
		layout.Paragraph(&b, "", note, width)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// notes returns warnings and remarks about the comparison.
func (c Comparison) notes() (notes []string) {
	for _, m := range c.Models {
		if few := tooFewDraws(m.Result.Dir, m.Result.Draws); few != "" {
			notes = append(notes, "warning: "+few)
		} else if n := len(m.Result.Bad()); n > 0 {
			notes = append(notes, fmt.Sprintf("warning: in %s, %d %s a Pareto k̂ above %.2f: ppl loo %s names them.",
				m.Result.Dir,
				n, layout.Plural(n, "row has", "rows have"), m.Result.MaxK(), m.Result.Dir))
		}
	}
	notes = append(notes, closeness(c.Models[1].Behind, c.Models[1].SE)...)
	if c.Models[0].Result.Variable.Size() < 100 {
		notes = append(notes, "With fewer than 100 rows the standard error of a difference is too small.")
	}
	return notes
}

// closeness returns a remark if the difference between the first two models is too small to rank them.
func closeness(behind, se float64) []string {
	switch {
	case behind < 4:
		return []string{"The first two differ by less than 4: they predict equally well."}
	case behind < 2*se:
		return []string{"The first two differ by less than two standard errors."}
	}
	return nil
}

type comparedRow struct {
	Run     string       `json:"run"`
	ELPD    store.Number `json:"elpd_loo"`
	SE      store.Number `json:"se"`
	P       store.Number `json:"p_loo"`
	Diff    store.Number `json:"elpd_diff"`
	SEDiff  store.Number `json:"se_diff"`
	Weight  store.Number `json:"weight"`
	WAIC    store.Number `json:"elpd_waic"`
	BadRows int          `json:"bad_rows"`
}

// JSON prints the comparison as one object.
func (c Comparison) JSON(w io.Writer) error {
	rows := []comparedRow{}
	for _, m := range c.Models {
		t := m.Result.PSIS.Total()
		rows = append(rows, comparedRow{m.Result.Dir, store.Number(t.ELPD), store.Number(t.SE), store.Number(t.P),
			store.Number(0 - m.Behind), store.Number(m.SE), store.Number(m.Weight), // 0 - x, since -x would print −0
			store.Number(m.Result.WAIC.Total().ELPD), len(m.Result.Bad())})
	}
	return layout.WriteJSON(w, struct {
		Of         string               `json:"of"`
		Rows       int                  `json:"rows"`
		Models     []comparedRow        `json:"models"`
		Evidence   []bayesfactor.Object `json:"evidence,omitempty"` // largest first
		NoEvidence string               `json:"no_evidence,omitempty"`
	}{c.Of, c.Models[0].Result.Variable.Size(), rows, c.Evidence.Objects(), c.NoEvidence})
}
