// Package loo estimates how well a model predicts each row of its data from the other rows (leave-one-out
// cross-validation), and compares models by that.
//
//	l, err := loo.CrossValidate(run, "y")
//	l.PSIS.Total().ELPD, l.MaxK()    the sum of log predictive densities; the largest k̂ that can be used
//	c, err := loo.Compare(runs, "y", nil)
//	c.Models[0].Weight               stacking weight of the best model
//
// Estimates are by Pareto-smoothed importance sampling (Vehtari, Simpson, Gelman, Yao, Gabry, "Pareto smoothed
// importance sampling", JMLR 2024); a subsample of the rows suffices if there are many (Magnusson, Vehtari, Jonasson,
// Andersen, "Leave-one-out cross-validation for Bayesian model comparison in large data", AISTATS 2020).
package loo

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"

	"ppl/lang/types"
	"ppl/posterior/layout"
	"ppl/posterior/quantities"
	"ppl/posterior/stats"
	"ppl/posterior/store"
	"ppl/runtime/sys/memory"
)

// A Result holds leave-one-out estimates: how well a model predicts each row of its data from all other rows.
type Result struct {
	Dir      string
	Variable types.Variable // its elements are the rows, or the groups if By is set
	Draws    int            // number of draws of all chains
	PSIS     stats.Pointwise
	WAIC     stats.Pointwise
	PIT      []float64 // by row; nil if the run has no predictions of the rows
	NoPIT    string    // reason why PIT cannot exist; empty if it can
	Refits   []Refit   // rows for which the model was sampled again without them
	By       string    // if Variable lists groups, the observed array that contains the rows; else empty
	Rows     [][]int   // if By is set, the rows of each group
}

// A Refit is a row for which the model was sampled again without it. Its estimate is exact, up to Monte Carlo error.
type Refit struct {
	Row  int
	K    float64 // Pareto k̂ of the importance weights before the refit
	RHat float64 // of the row's log density, over the chains of the refit
	MCSE float64 // Monte Carlo standard error of the row's log predictive density
}

// Replace replaces the importance-sampling estimate for a row. The new log predictive density is the log of the mean
// density of the row; logDensities holds its log density at draws from the model without the row, by chain.
func (l *Result) Replace(row int, logDensities [][]float64) {
	elpd := stats.LogMean(slices.Concat(logDensities...))
	l.Refits = append(l.Refits, Refit{row, l.PSIS.K[row], stats.RHat(logDensities), stats.MCSELogMean(logDensities)})
	l.PSIS.P[row] += l.PSIS.ELPD[row] - elpd
	l.PSIS.ELPD[row], l.PSIS.K[row] = elpd, math.Inf(-1)
}

// CrossValidate estimates leave-one-out prediction of an observed array from the draws of a run. Name may be empty if
// the run has the log likelihood of only one array.
func CrossValidate(r *store.Run, name string) (Result, error) {
	v, err := rowsOf(r, name)
	if err != nil {
		return Result{}, err
	}
	predicted, err := predictionOf(r, v)
	if err != nil {
		return Result{}, err
	}
	l := Result{Dir: r.Dir, Variable: v, Draws: r.Layout.Chains * r.Info.Draws}
	if !predicted.known() {
		l.NoPIT = whyNoPIT(r, v)
	}
	rows := make([][]int, v.Size())
	for i := range rows {
		rows[i] = []int{i}
	}
	return l, l.leaveOut(r, v, rows, predicted)
}

// groupsInPass returns the number of groups of rows to process in one pass through the log likelihood.
func groupsInPass(draws int, reff float64) int {
	const least = 64 << 20 // bytes
	return max(1, int(memory.ForPass(least))/stats.LeftOutSize(draws, reff))
}

// leaveOut adds to l the estimates for groups of rows of v, given as row numbers.
func (l *Result) leaveOut(r *store.Run, v types.Variable, groups [][]int, of prediction) error {
	reff, err := relativeESS(r)
	if err != nil {
		return err
	}
	some := groupsInPass(l.Draws, reff)
	for ; len(groups) > 0; groups = groups[min(some, len(groups)):] {
		pass := make([]*stats.LeftOut, min(some, len(groups)))
		for k := range pass {
			pass[k] = stats.NewLeftOut(l.Draws, reff)
		}
		if err := addDraws(r, v, groups, of, pass); err != nil {
			return err
		}
		rows := make([]stats.RowOut, len(pass))
		stats.Together(runtime.GOMAXPROCS(0), len(pass), func(k int, _ *stats.Workspace) { rows[k] = pass[k].Result() })
		for _, row := range rows {
			l.PSIS.Append(row.ELPD, row.P, row.K)
			l.WAIC.ELPD, l.WAIC.P = append(l.WAIC.ELPD, row.WAIC), append(l.WAIC.P, row.PWAIC)
			if of.known() {
				l.PIT = append(l.PIT, row.PIT)
			}
		}
	}
	return nil
}

// addDraws reads the draws once and adds them to the first len(to) groups.
func addDraws(r *store.Run, v types.Variable, groups [][]int, of prediction, to []*stats.LeftOut) error {
	arrays, size := []store.Array{{Group: string(partOf(r, v)), Name: v.Name}}, v.Size()
	if of.known() {
		arrays = append(arrays, store.Array{Group: string(store.DataReplicates), Name: of.name})
	}
	const together = 64 // number of groups that a goroutine adds draws to at a time
	odd := slices.Repeat([]int{size}, (len(to)+together-1)/together)
	err := r.Together(arrays, 0, r.Layout.Chains, func(_, _ int, values [][]float64) error {
		stats.Together(runtime.GOMAXPROCS(0), len(odd), func(part int, _ *stats.Workspace) {
			from, end := part*together, min((part+1)*together, len(to))
			odd[part] = min(odd[part], addToGroups(values, size, groups[from:end], of, to[from:end]))
		})
		return nil
	})
	if first := slices.Min(odd); err == nil && first < size {
		err = notFinite(v.Element(first))
	}
	return err
}

// addToGroups adds draws of the log likelihood of size rows to groups. It returns the first row with one that is not
// finite, or size if there is none.
func addToGroups(values [][]float64, size int, groups [][]int, of prediction, to []*stats.LeftOut) (odd int) {
	odd = size
	for d := range len(values[0]) / size {
		for k, x := range to {
			logLik, share := 0.0, 0.0
			for _, row := range groups[k] {
				one := values[0][d*size+row]
				logLik += one
				if math.IsNaN(one) || math.IsInf(one, 0) {
					odd = min(odd, row)
				}
			}
			if of.known() {
				row := groups[k][0]
				share = stats.Below(values[1][d*of.size+of.places[row]], of.data[row], of.ties[row])
			}
			x.Add(logLik, share)
		}
	}
	return odd
}

// whyNoPIT returns the reason why the rows of v can have no LOO-PIT, or "" if they would have one after predictions are
// drawn.
func whyNoPIT(r *store.Run, v types.Variable) string {
	if partOf(r, v) == store.PosteriorDraws {
		return "the model computes " + v.Name + " itself, so that it is not known which data its rows belong to"
	}
	if slices.Contains(r.Layout.GivenUnknowns, v.Name) {
		return "a row cannot be predicted without what the other rows say about the discrete unknowns that it " +
			"depends on"
	}
	if all, ok := predictedFor(r, v); ok && elementsOfRows(v, all) == nil {
		return "each row consists of several numbers, and only a single number has a rank among its predictions"
	}
	return ""
}

func notFinite(row string) error {
	return quantities.Unusable{Reason: fmt.Sprintf("the log likelihood of %s is not finite in some draws", row)}
}

// generatedRows is the conventional name of the pointwise log likelihood that a Stan program computes itself.
const generatedRows = "log_lik"

// partOf returns the part of the run that stores the log likelihood of the rows.
func partOf(r *store.Run, rows types.Variable) store.Part {
	if slices.ContainsFunc(r.Layout.LogLikelihood, func(v types.Variable) bool { return v.Name == rows.Name }) {
		return store.RowDensities
	}
	return store.PosteriorDraws
}

// rowsOf returns the variable whose elements are the rows to leave out.
func rowsOf(r *store.Run, name string) (types.Variable, error) {
	var names []string
	for _, v := range r.Layout.LogLikelihood {
		names = append(names, v.Name)
	}
	i := slices.Index(names, name)
	generated := slices.IndexFunc(r.Layout.Posterior, func(v types.Variable) bool {
		return v.Name == generatedRows && v.Size() > 1
	})
	switch {
	case r.Info.Draws == 0:
		return types.Variable{}, quantities.Unusable{Reason: r.Dir + ": not every chain has draws yet"}
	case generated >= 0 && i < 0 && (name == generatedRows || name == "" && len(names) != 1):
		return r.Layout.Posterior[generated], nil
	case len(names) == 0:
		return types.Variable{}, quantities.Unusable{Reason: r.Dir + " does not hold the log likelihood of each " +
			"row; sample again with --set log_likelihood=on"}
	case name == "" && len(names) == 1:
		i = 0
	case name == "":
		return types.Variable{}, quantities.Unusable{Reason: fmt.Sprintf("%s holds the log likelihood of several "+
			"observed arrays; name one of %s", r.Dir, strings.Join(names, ", "))}
	case i < 0:
		return types.Variable{}, quantities.Unusable{Reason: fmt.Sprintf("%s has no log likelihood of %s; it has "+
			"that of %s", r.Dir, name,
			strings.Join(names, ", "))}
	}
	v := r.Layout.LogLikelihood[i]
	if v.Size() < 2 {
		return v, quantities.Unusable{Reason: fmt.Sprintf("the log likelihood of %s is one number: its elements "+
			"depend on each other given the parameters, so that none can be left out", v.Name)}
	}
	return v, nil
}

// relativeESS returns the effective share of the draws: the mean effective sample size (for the mean) of all saved
// quantities, divided by the number of draws. It is 1 for a single chain, or if no quantity has an effective sample
// size.
func relativeESS(r *store.Run) (float64, error) {
	total, n := 0.0, 0
	if r.Layout.Chains < 2 {
		return 1, nil // as in ArviZ: one chain cannot show slow mixing
	}
	for _, v := range r.Layout.Posterior {
		sizes := make([]float64, v.Size())
		err := quantities.Reader{Run: r}.Each(store.PosteriorDraws, v, nil, func(i int, q quantities.Quantity,
			w *stats.Workspace) {
			sizes[i] = q.ESSMean(w)
		})
		if err != nil {
			return 0, err
		}
		for _, s := range sizes {
			if !math.IsNaN(s) {
				total, n = total+s, n+1
			}
		}
	}
	if n == 0 {
		return 1, nil
	}
	return total / float64(n) / float64(r.Layout.Chains*r.Info.Draws), nil
}

// predictedFor returns the replicates of the observed array that contains the rows v.
func predictedFor(r *store.Run, v types.Variable) (all types.Variable, ok bool) {
	i := slices.IndexFunc(r.Layout.Predictive, func(p types.Variable) bool { return p.Name == v.Name })
	if i < 0 {
		return all, false
	}
	return r.Layout.Predictive[i], true
}

// A prediction locates the replicates of the rows, and holds their data.
type prediction struct {
	name   string // name of the array with the replicates
	size   int    // number of elements of one replicate
	places []int  // element of the replicate, by row
	data   []float64
	ties   []float64 // see stats.Tie
}

func (p prediction) known() bool { return len(p.places) > 0 }

// predictionOf returns the replicates of the rows of v, with the data. It returns the zero prediction if the run has no
// replicates of v or another number of them than of data, and an error if the data cannot be read. Rows are matched by
// name, since rows with missing data have replicates but no log likelihood.
func predictionOf(r *store.Run, v types.Variable) (p prediction, err error) {
	all, ok := predictedFor(r, v)
	if !ok {
		return p, nil
	}
	values, err := r.ObservedData(v.Name)
	if err != nil || len(values) != all.Size() {
		return p, err
	}
	p.name, p.size = r.LeftOutReplicates(v.Name), all.Size()
	if p.name == "" {
		return p, nil
	}
	p.places = elementsOfRows(v, all)
	for row, k := range p.places {
		p.data, p.ties = append(p.data, values[k]), append(p.ties, stats.Tie(row))
	}
	return p, nil
}

// elementsOfRows returns, for each row of the log likelihood, its element of the observed array, matched by name. Rows
// can be fewer than elements, since missing data have none. The result is nil if a row combines several elements.
func elementsOfRows(rows, of types.Variable) (at []int) {
	part := func(set, whole string) bool { // reports whether set is equal to whole or part of it, as 2..T is of T
		return set == whole || strings.Contains(set, "..") && strings.Contains(set, whole)
	}
	if !slices.Equal(rows.Dims, []string{rows.Name + "_row"}) && !slices.EqualFunc(rows.Dims, of.Dims, part) {
		return nil
	}
	place := map[string]int{}
	for k := range of.Size() {
		place[of.Element(k)] = k
	}
	for row := range rows.Size() {
		k, ok := place[rows.Element(row)]
		if !ok {
			return nil
		}
		at = append(at, k)
	}
	return at
}

// MaxK returns the largest k̂ for which the importance weights are usable, given the number of draws (Vehtari et al.
// 2024).
func (l Result) MaxK() float64 { return maxK(l.Draws) }

func maxK(draws int) float64 { return max(0, min(1-1/math.Log10(float64(draws)), stats.MaxParetoK)) }

// tooFewDraws returns a message if n draws are too few to estimate k̂, else "".
func tooFewDraws(dir string, n int) string {
	if n >= stats.FewestWeights {
		return ""
	}
	return fmt.Sprintf("The %d %s of %s %s too few to estimate a Pareto k̂, which needs %d, so that the accuracy of "+
		"elpd_loo is not known. Draw more (--draws).",
		n, layout.Plural(n, "draw", "draws"), dir, layout.Plural(n, "is", "are"), stats.FewestWeights)
}

// Of returns the name of the observed array that is predicted.
func (l Result) Of() string {
	if l.By != "" {
		return l.By
	}
	return l.Variable.Name
}

// RowsOf returns the rows that are left out together as element k of Variable.
func (l Result) RowsOf(k int) []int {
	if l.By != "" {
		return l.Rows[k]
	}
	return []int{k}
}

// unit names the kind of thing that is left out at a time.
func (l Result) unit() string {
	if l.By != "" {
		return "group"
	}
	return "row"
}

// Bad lists the rows (or groups) whose weights are not usable, largest k̂ first.
func (l Result) Bad() (rows []int) {
	for i, k := range l.PSIS.K {
		if !(k <= l.MaxK()) {
			rows = append(rows, i)
		}
	}
	slices.SortStableFunc(rows, func(a, b int) int {
		if l.PSIS.K[a] > l.PSIS.K[b] {
			return -1
		}
		return 1
	})
	return rows
}

// shownRows is the maximum number of rows with bad weights that are listed.
const shownRows = 10

// Text prints the estimates, and the rows whose estimates are unreliable.
func (l Result) Text(w io.Writer, width int) error {
	var b strings.Builder
	what := "one at a time"
	if l.By != "" {
		what = "one group of " + l.Variable.Name + " at a time"
	}
	layout.Paragraph(&b, "", fmt.Sprintf("%s: prediction of %s left out %s, %s %ss, %s draws", l.Dir, l.Of(), what,
		layout.Thousands(int64(l.Variable.Size())), l.unit(), layout.Thousands(int64(l.Draws))), width)
	loo, waic := l.PSIS.Total(), l.WAIC.Total()
	b.WriteByte('\n')
	layout.Columns(&b, [][]string{{"", "estimate", "se"}, {"elpd_loo", digit(loo.ELPD), digit(loo.SE)},
		{"p_loo", digit(loo.P), ""}, {"elpd_waic", digit(waic.ELPD), digit(waic.SE)}, {"p_waic", digit(waic.P), ""}})
	b.WriteByte('\n')
	l.weights(&b, width)
	if l.By == "" {
		l.spread(&b, width)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func digit(x float64) string { return layout.Fixed(x, 1) }

// weights prints the refitted rows, and warns of rows whose weights are not usable.
func (l Result) weights(b *strings.Builder, width int) {
	bad := l.Bad()
	l.refitted(b, width)
	if few := tooFewDraws(l.Dir, l.Draws); few != "" {
		layout.Paragraph(b, "warning: ", few, width)
		return
	}
	if len(bad) == 0 {
		layout.Paragraph(b, "", worstShape(slices.Max(l.PSIS.K), "every "+l.unit(), l.Draws), width)
		return
	}
	rows := [][]string{{l.unit(), "k̂", "elpd"}}
	for _, i := range bad[:min(len(bad), shownRows)] {
		rows = append(rows, []string{l.Variable.Element(i), fmt.Sprintf("%.2f", l.PSIS.K[i]), digit(l.PSIS.ELPD[i])})
	}
	layout.Columns(b, rows)
	if len(bad) > shownRows {
		fmt.Fprintf(b, "… and %s more\n", layout.Thousands(int64(len(bad)-shownRows)))
	}
	b.WriteByte('\n')
	cause := "Such rows are outliers under the model: check them, or give the likelihood heavier tails"
	if l.By != "" {
		cause = "This is usual for groups with separate parameters"
	}
	layout.Paragraph(b, "warning: ", fmt.Sprintf("Pareto k̂ is above %.2f in %s of %s %ss: these draws cannot "+
		"represent the posterior without such a %s, and elpd_loo is usually too high. %s; `--refit` samples again "+
		"without each of "+
		"them.", l.MaxK(), layout.Thousands(int64(len(bad))), layout.Thousands(int64(l.Variable.Size())), l.unit(),
		l.unit(), cause), width)
}

// worstShape returns a sentence with the largest k̂, for rows whose weights are all usable.
func worstShape(k float64, of string, draws int) string {
	if math.IsInf(k, -1) {
		return "The log likelihood of each row is the same at all draws, so that leaving a row out changes nothing."
	}
	return fmt.Sprintf("Pareto k̂ is at most %.2f in %s (%.2f is good).", k, of, maxK(draws))
}

// A refit needs more draws if its R-hat is above manyRHat or its Monte Carlo error above manyMCSE.
const (
	manyRHat = 1.05
	manyMCSE = .3
)

// refitted prints the rows for which the model was sampled again.
func (l Result) refitted(b *strings.Builder, width int) {
	if len(l.Refits) == 0 {
		return
	}
	rows, apart, vague := [][]string{{"sampled without", "k̂ was", "elpd", "mcse", "R-hat"}}, false, false
	for _, f := range l.Refits {
		rows = append(rows, []string{l.Variable.Element(f.Row), layout.Fixed(f.K, 2), digit(l.PSIS.ELPD[f.Row]),
			layout.Fixed(f.MCSE, 2), layout.Fixed(f.RHat, 2)})
		apart, vague = apart || !(f.RHat <= manyRHat), vague || !(f.MCSE <= manyMCSE)
	}
	layout.Columns(b, rows)
	b.WriteByte('\n')
	if apart {
		layout.Paragraph(b, "warning: ", "Chains disagree in some of these refits: sample the run with more draws, "+
			"and refit again.", width)
	}
	if vague {
		layout.Paragraph(b, "warning: ", "Some of these rows are so unlikely that only few draws determine their "+
			"elpd, which therefore has a large Monte Carlo error (mcse): sample the run with more draws.", width)
	}
}

// spread prints how many rows lie outside the middle 90 % of their predictions.
func (l Result) spread(b *strings.Builder, width int) {
	switch {
	case l.NoPIT != "":
		layout.Paragraph(b, "", "There is no LOO-PIT: "+l.NoPIT+".", width)
		return
	case l.PIT == nil:
		layout.Paragraph(b, "", fmt.Sprintf("For LOO-PIT, draw predictions first: ppl predict %s", l.Dir), width)
		return
	}
	outside := 0
	for _, p := range l.PIT {
		if p < .05 || p > .95 {
			outside++
		}
	}
	expected := math.Round(.1 * float64(len(l.PIT)))
	layout.Paragraph(b, "", fmt.Sprintf("LOO-PIT: %s of %s rows lie outside the middle 90 %% of their prediction, "+
		"where %s are expected.", layout.Thousands(int64(outside)), layout.Thousands(int64(len(l.PIT))),
		layout.Thousands(int64(expected))), width)
}

// looDocument is the JSON form of Result.
type looDocument struct {
	Run     string       `json:"run"`
	Of      string       `json:"of"`
	By      string       `json:"by,omitempty"`
	Rows    int          `json:"rows"`
	Draws   int          `json:"draws"`
	ELPD    store.Number `json:"elpd_loo"`
	SE      store.Number `json:"se"`
	P       store.Number `json:"p_loo"`
	WAIC    store.Number `json:"elpd_waic"`
	WAICSE  store.Number `json:"se_waic"`
	PWAIC   store.Number `json:"p_waic"`
	GoodK   store.Number `json:"good_k"`
	BadRows int          `json:"bad_rows"`
	Refits  int          `json:"refitted_rows"`
	Each    []looRow     `json:"each"`
}

type looRow struct {
	Row  string        `json:"row"`
	ELPD store.Number  `json:"elpd_loo"`
	K    store.Number  `json:"pareto_k"`
	WAIC store.Number  `json:"elpd_waic"`
	PIT  *store.Number `json:"pit,omitempty"`

	Refit *store.Number `json:"refit_mcse,omitempty"` // set if the model was sampled again without this row
}

func (l Result) groupedBy() string {
	if l.By == "" {
		return ""
	}
	return l.Variable.Name
}

// JSON prints one object that includes every row.
func (l Result) JSON(w io.Writer) error {
	loo, waic := l.PSIS.Total(), l.WAIC.Total()
	d := looDocument{l.Dir, l.Of(), l.groupedBy(), l.Variable.Size(), l.Draws, store.Number(loo.ELPD),
		store.Number(loo.SE),
		store.Number(loo.P), store.Number(waic.ELPD), store.Number(waic.SE), store.Number(waic.P),
		store.Number(l.MaxK()), len(l.Bad()), len(l.Refits), nil}
	for i := range l.PSIS.ELPD {
		row := looRow{l.Variable.Element(i), store.Number(l.PSIS.ELPD[i]), store.Number(l.PSIS.K[i]),
			store.Number(l.WAIC.ELPD[i]), nil, nil}
		if l.PIT != nil {
			pit := store.Number(l.PIT[i])
			row.PIT = &pit
		}
		for _, f := range l.Refits {
			if mcse := store.Number(f.MCSE); f.Row == i {
				row.Refit = &mcse
			}
		}
		d.Each = append(d.Each, row)
	}
	return layout.WriteJSON(w, d)
}
