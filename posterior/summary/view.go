package summary

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ppl/lang/types"
	"ppl/posterior/quantities"
	"ppl/posterior/stats"
	"ppl/posterior/store"
)

// A View selects what a summary shows, and how. The zero value shows the first elements of each variable.
type View struct {
	Names     []string  // variables and elements to show, in this order; empty for all
	All       bool      // show every element
	Quantiles []float64 // probabilities of the quantiles to show; empty for 5, 50 and 95 %
	Interval  Interval  // interval to show instead of quantiles, if its Mass is not 0
	Sort      string    // name of the column to sort by
	Memory    int64     // memory limit for draws, in bytes; 0 for quantities.UsualMemory
}

// An Interval contains the share Mass of the draws: the shortest such interval, or the one with equal tails.
type Interval struct {
	Shortest bool
	Mass     float64
}

// ParseInterval parses an interval such as "hdi95" or "eti90".
func ParseInterval(text string) (Interval, error) {
	kind, percent := text[:min(3, len(text))], text[min(3, len(text)):]
	p, err := strconv.ParseFloat(percent, 64)
	if (kind != "hdi" && kind != "eti") || err != nil || !(p > 0 && p < 100) {
		return Interval{},
			quantities.Unusable{Reason: fmt.Sprintf("%q is not an interval; write hdi95 for the shortest with 95 %% "+
				"of the draws, eti90 for the one between the 5 and 95 %% quantiles", text)}
	}
	return Interval{kind == "hdi", p / 100}, nil
}

// ends returns the ends of the interval for the given draws.
func (i Interval) ends(xs []float64) []float64 {
	if i.Shortest {
		lo, hi := stats.HDI(xs, i.Mass)
		return []float64{lo, hi}
	}
	return []float64{stats.Quantile(xs, (1-i.Mass)/2), stats.Quantile(xs, (1+i.Mass)/2)}
}

// Titles returns the titles of the columns between sd and the diagnostics.
func (v View) Titles() (titles []string) {
	if v.Interval.Mass > 0 {
		kind := "eti"
		if v.Interval.Shortest {
			kind = "hdi"
		}
		percent := strconv.FormatFloat(100*v.Interval.Mass, 'g', 6, 64)
		return []string{kind + percent + "_lo", kind + percent + "_hi"}
	}
	for _, q := range v.quantiles() {
		titles = append(titles, "q"+strconv.FormatFloat(100*q, 'g', 6, 64))
	}
	return titles
}

func (v View) quantiles() []float64 {
	if len(v.Quantiles) == 0 {
		return []float64{.05, .5, .95}
	}
	return v.Quantiles
}

// Exact returns the probabilities of the quantiles that a summary needs of all draws, also if only a sample of them is
// in memory.
func (v View) Exact() []float64 { return append([]float64{.05, .5, .95}, v.probabilities()...) }

// probabilities returns the probabilities of the requested quantiles or interval ends. It returns nil for a shortest
// interval, whose ends are not fixed quantiles.
func (v View) probabilities() []float64 {
	if v.Interval.Mass == 0 {
		return v.Quantiles
	}
	if v.Interval.Shortest {
		return nil
	}
	return []float64{(1 - v.Interval.Mass) / 2, (1 + v.Interval.Mass) / 2}
}

// Marks returns the requested quantiles or interval ends of a quantity, or nil if the view has the default columns. The
// ends of a shortest interval are those of the draws in memory, which may be a sample.
func (v View) Marks(q quantities.Quantity) (xs []float64) {
	if len(v.Quantiles) == 0 && v.Interval.Mass == 0 {
		return nil
	}
	if ps := v.probabilities(); q.Long != nil && ps != nil {
		for k := range ps {
			xs = append(xs, q.Long.Quantile(3+k))
		}
		return xs
	}
	all := slices.Concat(q.Chains...)
	if v.Interval.Mass > 0 {
		return v.Interval.ends(all)
	}
	slices.Sort(all)
	for _, q := range v.quantiles() {
		xs = append(xs, stats.Quantile(all, q))
	}
	return xs
}

// Choose selects and sorts parameters as the view requires. Without names or a column to sort by, imputed missing
// values come last.
func (v View) Choose(ps []Parameter, vs []types.Variable, r *store.Run) ([]Parameter, error) {
	slices.SortStableFunc(ps, func(a, b Parameter) int { return rank(a.Imputed) - rank(b.Imputed) })
	if len(v.Names) > 0 {
		selected, err := quantities.Select(vs, v.Names, r)
		if err != nil {
			return nil, err
		}
		byName := map[string]Parameter{}
		for _, p := range ps {
			byName[p.Name] = p
		}
		ps = nil
		for _, s := range selected {
			for _, i := range s.Elements {
				ps = append(ps, byName[s.Variable.Element(i)])
			}
		}
	}
	return v.sorted(ps)
}

func rank(last bool) int {
	if last {
		return 1
	}
	return 0
}

// sorted sorts parameters by the view's column, so that large values and poor diagnostics come first.
func (v View) sorted(ps []Parameter) ([]Parameter, error) {
	if v.Sort == "" {
		return ps, nil
	}
	keys := map[string]func(Parameter) float64{
		"mean": func(p Parameter) float64 { return -p.Mean }, "sd": func(p Parameter) float64 { return -p.SD },
		"mcse": func(p Parameter) float64 { return -p.MCSEMean }, "r_hat": func(p Parameter) float64 { return -p.RHat },
		"ess_bulk": func(p Parameter) float64 { return p.ESSBulk },
		"ess_tail": func(p Parameter) float64 { return p.ESSTail },
		"name":     nil,
	}
	key, ok := keys[v.Sort]
	if !ok {
		return nil, quantities.Unusable{Reason: fmt.Sprintf("there is no column %q to sort by; available: name, mean, "+
			"sd, mcse, ess_bulk, ess_tail, r_hat", v.Sort)}
	}
	slices.SortStableFunc(ps, func(a, b Parameter) int {
		if key == nil {
			return strings.Compare(a.Name, b.Name)
		}
		x, y := key(a), key(b)
		return cmp.Or(cmp.Compare(rank(math.IsNaN(x)), rank(math.IsNaN(y))), cmp.Compare(x, y))
	})
	return ps, nil
}
