package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"ppl/lang/types"
	"ppl/posterior/stats"
	"ppl/posterior/store"
)

// A PartLOO is LOO of all rows, estimated from some of them.
type PartLOO struct {
	stats.Subsampled
	Dir      string
	Variable types.Variable // the rows, with their labels
	Draws    int            // of all chains
	Rough    []float64      // of every row, the approximation of its term
	Rows     []int          // the numbers of those that were left out
	Part     stats.Pointwise
}

// CrossValidatePart estimates leave-one-out prediction of all rows of v from some: places are their elements, logLik
// has the log likelihood of each at every draw, chain after chain. Rough approximates the term of every row of the
// data, and rows are the numbers of the chosen among them.
func CrossValidatePart(r *store.Run, v types.Variable, rows, places []int, rough []float64,
	logLik [][]float64) (PartLOO, error) {
	if err := finite(logLik, func(k int) string { return v.Element(places[k]) }); err != nil {
		return PartLOO{}, err
	}
	reff, err := relativeESS(r)
	if err != nil {
		return PartLOO{}, err
	}
	part, _ := stats.LOO(logLik, reff)
	return PartLOO{stats.Subsample(rough, rows, part), r.Dir, v, len(logLik[0]), rough, rows, part}, nil
}

// Bad counts the rows whose weights cannot be used.
func (l PartLOO) Bad() (n int) {
	for _, k := range l.Part.K {
		if !(k <= maxK(l.Draws)) {
			n++
		}
	}
	return n
}

// Text prints the estimates, with both their errors.
func (l PartLOO) Text(w io.Writer, width int) error {
	var b strings.Builder
	paragraph(&b, "", fmt.Sprintf("%s: prediction of %s left out one at a time, %s of %s rows, %s draws", l.Dir,
		l.Variable.Name, thousands(int64(len(l.Rows))), thousands(int64(len(l.Rough))), thousands(int64(l.Draws))),
		width)
	b.WriteByte('\n')
	columns(&b, [][]string{{"", "estimate", "se", "se of choosing rows"},
		{"elpd_loo", digit(l.ELPD), digit(l.SE), digit(l.ELPDSE)}, {"p_loo", digit(l.P), "", digit(l.PSE)}})
	b.WriteByte('\n')
	if few := tooFewDraws(l.Dir, l.Draws); few != "" {
		paragraph(&b, "warning: ", few, width)
	} else if bad := l.Bad(); bad > 0 {
		paragraph(&b, "warning: ", fmt.Sprintf("Pareto k̂ is above %.2f in %s of these rows: elpd_loo is too high "+
			"most often. `ppl loo` of all rows names them.", maxK(l.Draws), thousands(int64(bad))), width)
	} else {
		paragraph(&b, "", fmt.Sprintf("Pareto k̂ is at most %.2f in these rows (%.2f is good).", slices.Max(l.Part.K),
			maxK(l.Draws)), width)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// partDocument is the JSON form of PartLOO.
type partDocument struct {
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
func (l PartLOO) JSON(w io.Writer) error {
	return printJSON(w, partDocument{l.Dir, l.Variable.Name, len(l.Rough), len(l.Rows), l.Draws, store.Number(l.ELPD),
		store.Number(l.SE), store.Number(l.ELPDSE), store.Number(l.P), store.Number(l.PSE),
		store.Number(maxK(l.Draws)), l.Bad()})
}
