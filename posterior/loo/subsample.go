package loo

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"ppl/lang/types"
	"ppl/posterior/layout"
	"ppl/posterior/stats"
	"ppl/posterior/store"
)

// A SubsampleResult is a LOO estimate for all rows, computed from a subsample of the rows.
type SubsampleResult struct {
	stats.Subsampled
	Dir      string
	Variable types.Variable // its elements are the rows
	Draws    int            // number of draws of all chains
	Rough    []float64      // approximate elpd of every row
	Rows     []int          // numbers of the rows in the subsample
	Part     stats.Pointwise
}

// A Subsample is a subsample of the rows of the data, in ascending order.
type Subsample struct {
	Rows   []int     // row numbers
	Places []int     // element of the observed array, for each row of the subsample
	Rough  []float64 // approximate elpd of every row of the data
}

// A TakeRow receives the log likelihood of the k-th requested row at the next draw.
type TakeRow func(k int, logLik float64)

// CrossValidateSubsample estimates leave-one-out prediction of all rows of v from a subsample of rows. evaluate
// computes the log likelihood of some rows at all draws, chain after chain. If there are many draws, it is called for a
// few rows at a time, to limit memory.
func CrossValidateSubsample(r *store.Run, v types.Variable, part Subsample,
	evaluate func(rows []int, take TakeRow) error) (l SubsampleResult, err error) {
	draws := r.Layout.Chains * r.Info.Draws
	reff, err := relativeESS(r)
	if err != nil {
		return l, err
	}
	var of stats.Pointwise
	for some := range slices.Chunk(part.Rows, groupsInPass(draws, reff)) {
		left := make([]*stats.LeftOut, len(some))
		for k := range left {
			left[k] = stats.NewLeftOut(draws, reff)
		}
		if err := evaluate(some, func(k int, logLik float64) { left[k].Add(logLik, 0) }); err != nil {
			return l, err
		}
		for _, x := range left {
			if !x.Finite() {
				return l, notFinite(v.Element(part.Places[len(of.ELPD)]))
			}
			row := x.Result()
			of.Append(row.ELPD, row.P, row.K)
		}
	}
	return SubsampleResult{stats.Subsample(part.Rough, part.Rows, of), r.Dir, v, draws, part.Rough, part.Rows, of}, nil
}

// Bad returns the number of rows whose weights are not usable.
func (l SubsampleResult) Bad() (n int) {
	for _, k := range l.Part.K {
		if !(k <= maxK(l.Draws)) {
			n++
		}
	}
	return n
}

// Text prints the estimates, with the standard error over rows and that of subsampling.
func (l SubsampleResult) Text(w io.Writer, width int) error {
	var b strings.Builder
	layout.Paragraph(&b, "", fmt.Sprintf("%s: prediction of %s left out one at a time, %s of %s rows, %s draws", l.Dir,
		l.Variable.Name, layout.Thousands(int64(len(l.Rows))), layout.Thousands(int64(len(l.Rough))),
		layout.Thousands(int64(l.Draws))),
		width)
	b.WriteByte('\n')
	layout.Columns(&b, [][]string{{"", "estimate", "se", "subsampling se"},
		{"elpd_loo", digit(l.ELPD), digit(l.SE), digit(l.ELPDSE)}, {"p_loo", digit(l.P), "", digit(l.PSE)}})
	b.WriteByte('\n')
	if few := tooFewDraws(l.Dir, l.Draws); few != "" {
		layout.Paragraph(&b, "warning: ", few, width)
	} else if bad := l.Bad(); bad > 0 {
		layout.Paragraph(&b, "warning: ", fmt.Sprintf("Pareto k̂ is above %.2f in %s of these rows, so that "+
			"elpd_loo is usually too high. `ppl loo` without --rows names them.", maxK(l.Draws),
			layout.Thousands(int64(bad))), width)
	} else {
		layout.Paragraph(&b, "", worstShape(slices.Max(l.Part.K), "these rows", l.Draws), width)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// subsampleDocument is the JSON form of SubsampleResult.
type subsampleDocument struct {
	Run     string       `json:"run"`
	Of      string       `json:"of"`
	Rows    int          `json:"rows"`
	Chosen  int          `json:"rows_left_out"`
	Draws   int          `json:"draws"`
	ELPD    store.Number `json:"elpd_loo"`
	SE      store.Number `json:"se"`
	ELPDSE  store.Number `json:"subsampling_se"`
	P       store.Number `json:"p_loo"`
	PSE     store.Number `json:"p_loo_subsampling_se"`
	GoodK   store.Number `json:"good_k"`
	BadRows int          `json:"bad_rows"`
}

// JSON prints one object.
func (l SubsampleResult) JSON(w io.Writer) error {
	return layout.WriteJSON(w, subsampleDocument{l.Dir, l.Variable.Name, len(l.Rough), len(l.Rows), l.Draws,
		store.Number(l.ELPD),
		store.Number(l.SE), store.Number(l.ELPDSE), store.Number(l.P), store.Number(l.PSE),
		store.Number(maxK(l.Draws)), l.Bad()})
}
