package plot

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"ppl/lang/types"
	"ppl/posterior/quantities"
	"ppl/posterior/stats"
	"ppl/posterior/store"
)

// replicates holds the data of an observed array, and replicates of it drawn from the model.
type replicates struct {
	variable types.Variable
	data     []float64
	drawn    [][]float64 // by draw, chain after chain, then by element
}

// replicatesOf returns the replicates of the named observed arrays, or of all if there are no names.
func replicatesOf(r *store.Run, names []string) (all []replicates, err error) {
	if len(r.Layout.Predictive) == 0 {
		if all, err := generatedReplicates(r, names); err != nil || len(all) > 0 {
			return all, err
		}
		return nil,
			quantities.Unusable{Reason: fmt.Sprintf("%s has no replicates of the data yet; draw them: ppl predict %s",
				r.Dir, r.Dir)}
	}
	selected, err := quantities.Select(r.Layout.Predictive, names, r)
	if err != nil {
		return nil, err
	}
	for _, s := range selected {
		v := s.Variable
		data, err := r.ObservedData(v.Name)
		if err != nil || len(data) != v.Size() {
			return nil, quantities.Unusable{Reason: fmt.Sprintf("the replicates of %s in %s do not match its observed "+
				"data", v.Name, r.Dir)}
		}
		chains, err := r.Predictive(v.Name)
		if err != nil {
			return nil, err
		}
		all = append(all, drawnFor(v, data, chains))
	}
	return all, nil
}

// generatedReplicates returns replicates that the model itself generates, as Stan programs do: replicates of y are
// called y_rep.
func generatedReplicates(r *store.Run, names []string) (all []replicates, err error) {
	for _, given := range slices.Concat(r.Layout.Observed, r.Layout.Constant) {
		name := given.Name + "_rep"
		i := slices.IndexFunc(r.Layout.Posterior, func(v types.Variable) bool { return v.Name == name })
		if i < 0 || r.Layout.Posterior[i].Size() != given.Size() || len(names) > 0 &&
			!slices.Contains(names, given.Name) && !slices.Contains(names, name) {
			continue
		}
		data, err := r.Data(given.Name)
		if err != nil {
			return nil, err
		}
		chains, err := r.Draws(name)
		if err != nil {
			return nil, err
		}
		all = append(all, drawnFor(r.Layout.Posterior[i], data, chains))
	}
	return all, nil
}

// drawnFor pairs data with the draws of their replicates, given by chain.
func drawnFor(v types.Variable, data []float64, chains [][]float64) replicates {
	x := replicates{variable: v, data: data}
	for _, xs := range chains {
		for ; len(xs) > 0 && v.Size() > 0; xs = xs[v.Size():] {
			x.drawn = append(x.drawn, xs[:v.Size()])
		}
	}
	return x.present()
}

// present removes the elements whose data are missing.
func (x replicates) present() replicates {
	if !slices.ContainsFunc(x.data, math.IsNaN) {
		return x
	}
	keep := func(xs []float64) (out []float64) {
		for i, v := range xs {
			if !math.IsNaN(x.data[i]) {
				out = append(out, v)
			}
		}
		return out
	}
	drawn := make([][]float64, len(x.drawn))
	for d, xs := range x.drawn {
		drawn[d] = keep(xs)
	}
	return replicates{x.variable, keep(x.data), drawn}
}

// some returns at most n replicates, evenly spaced from the first.
func (x replicates) some(n int) [][]float64 {
	step := max(1, len(x.drawn)/n)
	var out [][]float64
	for d := 0; d < len(x.drawn) && len(out) < n; d += step {
		out = append(out, x.drawn[d])
	}
	return out
}

// drawPredictive plots the data over replicates: frequencies if all values are integers, else densities.
func drawPredictive(r *store.Run, o Options) (Picture, error) {
	all, err := replicatesOf(r, o.Names)
	if err != nil {
		return Picture{}, err
	}
	p := Picture{Columns: min(2, len(all))}
	for _, x := range all {
		if allWhole(x.data) && !slices.ContainsFunc(x.some(50), func(xs []float64) bool { return !allWhole(xs) }) {
			p.Panels = append(p.Panels, x.frequencies())
		} else {
			p.Panels = append(p.Panels, x.densities())
		}
	}
	return p, nil
}

func (x replicates) densities() Panel {
	p := Panel{Title: x.variable.Name, Y: Axis{Bare: true}}
	for k, xs := range x.some(50) {
		u, v := stats.Density(xs, 120)
		s := Style{Color: Main, Width: .6, Faint: true}
		if k == 0 {
			s.Label = "replicates"
		}
		p.Layers = append(p.Layers, Line{u, v, s})
	}
	u, v := stats.Density(x.data, 120)
	p.Layers = append(p.Layers, Line{u, v, Style{Color: Second, Width: 2, Label: "data"}})
	p.X.From, p.X.To = x.window()
	return p
}

// window returns the range of the axis: that of the data, extended by half its width on each side, since extreme
// replicates would compress the data. The range excludes negative values if neither data nor replicates have any.
func (x replicates) window() (from, to float64) {
	lo, hi := slices.Min(x.data), slices.Max(x.data)
	from, to = lo-.5*(hi-lo), hi+.5*(hi-lo)
	crosses := lo < 0
	for _, xs := range x.some(200) {
		crosses = crosses || len(xs) > 0 && slices.Min(xs) < 0
	}
	if !crosses {
		from = max(from, 0)
	}
	return from, to
}

// mostBins is the number of bins if the integers span a range too large for one bar each.
const mostBins = 40

// frequencies plots, for each integer or bin of integers, the share of rows in the data and the interval that contains
// 90 % of the shares in the replicates.
func (x replicates) frequencies() Panel {
	lo, hi := slices.Min(x.data), slices.Max(x.data)
	width := math.Ceil((hi - lo + 1) / mostBins)
	if hi-lo < mostWhole {
		width = 1
	}
	bins := int((hi-lo)/width) + 1
	bars := Bars{Heights: wholeShares(x.data, lo, width, bins), Style: Style{Color: Quiet, Faint: true, Label: "data"}}
	for k := range bins + 1 {
		bars.Edges = append(bars.Edges, lo-.5+float64(k)*width)
	}
	var shares [][]float64
	for _, xs := range x.some(1000) {
		shares = append(shares, wholeShares(xs, lo, width, bins))
	}
	var interval Segments
	var middle Points
	for k := range bins {
		of := make([]float64, len(shares))
		for i, s := range shares {
			of[i] = s[k]
		}
		centre := lo - .5 + (float64(k)+.5)*width
		interval.X0, interval.X1 = append(interval.X0, centre), append(interval.X1, centre)
		interval.Y0 = append(interval.Y0, stats.Quantile(of, .05))
		interval.Y1 = append(interval.Y1, stats.Quantile(of, .95))
		middle.X, middle.Y = append(middle.X, centre), append(middle.Y, stats.Quantile(of, .5))
	}
	interval.Style = Style{Color: Main, Width: 1.6, Label: "90 % of replicates"}
	middle.Style = Style{Color: Main, Width: 2}
	label := "share of rows"
	if width > 1 {
		label = fmt.Sprintf("share of rows, by %g", width)
	}
	return Panel{Title: x.variable.Name, Y: Axis{Label: label}, Layers: []Layer{bars, interval, middle}}
}

// wholeShares returns the share of values in each bin. Bins are width wide and start at lo; values outside all bins are
// ignored.
func wholeShares(xs []float64, lo, width float64, bins int) []float64 {
	shares := make([]float64, bins)
	for _, v := range xs {
		if k := math.Floor((v - lo) / width); k >= 0 && k < float64(bins) {
			shares[int(k)] += 1 / float64(len(xs))
		}
	}
	return shares
}

// A statistic maps a data set to a number.
type statistic struct {
	name string
	of   func(xs []float64) float64
}

func statistics() []statistic {
	return []statistic{{"mean", func(xs []float64) float64 { return stat.Mean(xs, nil) }},
		{"sd", func(xs []float64) float64 { return stat.StdDev(xs, nil) }},
		{"least", floats.Min}, {"greatest", floats.Max}}
}

// drawPredictiveStatistics plots, for each statistic, its histogram over replicates with its value in the data.
func drawPredictiveStatistics(r *store.Run, o Options) (Picture, error) {
	all, err := replicatesOf(r, o.Names)
	if err != nil {
		return Picture{}, err
	}
	p := Picture{Columns: 4}
	for _, x := range all {
		for _, s := range statistics() {
			var values []float64
			want, above := s.of(x.data), 0.0
			for _, xs := range x.some(2000) {
				v := s.of(xs)
				values = append(values, v)
				if v >= want {
					above++
				}
			}
			p.Panels = append(p.Panels, Panel{
				Title: fmt.Sprintf("%s of %s, p = %.2f", s.name, x.variable.Name, above/float64(len(values))),
				Y:     Axis{Bare: true},
				Layers: []Layer{histogram(values, Style{Color: Main}),
					Rule{want, false, Style{Color: Second, Width: 2}}}})
		}
	}
	return p, nil
}

// drawPredictiveGroups plots the mean of the data in each group, with the interval that contains 90 % of the means of
// replicates. The last name must be an integer predictor with a value for each row; it defines the groups.
func drawPredictiveGroups(r *store.Run, o Options) (Picture, error) {
	if len(o.Names) == 0 {
		return Picture{}, quantities.Unusable{Reason: "name the predictor that groups the rows: ppl plot " + r.Dir +
			" ppc-group GROUP; available: " + groupings(r)}
	}
	group := o.Names[len(o.Names)-1]
	all, err := replicatesOf(r, o.Names[:len(o.Names)-1])
	if err != nil {
		return Picture{}, err
	}
	of, err := r.ConstantData(group)
	if err != nil || len(of) != all[0].variable.Size() || len(all[0].data) != len(of) {
		return Picture{}, quantities.Unusable{Reason: fmt.Sprintf("%s does not have a group for each row of %s; "+
			"available: %s", group, all[0].variable.Name, groupings(r))}
	}
	return Picture{Columns: 1, Panels: []Panel{all[0].byGroup(group, of, groupLabels(r, group))}}, nil
}

// groupings lists the integer predictors, or returns "none".
func groupings(r *store.Run) string {
	text := ""
	for _, v := range r.Layout.Constant {
		if v.Int && len(v.Shape) == 1 {
			if text != "" {
				text += ", "
			}
			text += v.Name
		}
	}
	if text == "" {
		return "none"
	}
	return text
}

// groupLabels returns a function that names a group. It uses the labels of a saved variable if one of its axes has as
// many labels as the largest code; otherwise it uses the code.
func groupLabels(r *store.Run, group string) func(code float64) string {
	codes, err := r.ConstantData(group)
	if err == nil {
		for _, v := range r.Layout.Posterior {
			for _, labels := range v.Label {
				if labels != nil && float64(len(labels)) == slices.Max(codes) && slices.Min(codes) >= 1 {
					return func(code float64) string { return labels[int(code)-1] }
				}
			}
		}
	}
	return func(code float64) string { return fmt.Sprintf("%s %v", group, code) }
}

func (x replicates) byGroup(group string, of []float64, label func(float64) string) Panel {
	codes := slices.Compact(slices.Sorted(slices.Values(of)))
	p := Panel{Title: fmt.Sprintf("mean of %s by %s", x.variable.Name, group),
		Y: Axis{From: -.5, To: float64(len(codes)) + .7}} // leaves space for the legend
	var interval Segments
	var seen Points
	for k, code := range codes {
		at := float64(len(codes) - 1 - k)
		mean := func(xs []float64) float64 {
			sum, n := 0.0, 0.0
			for i, v := range xs {
				if of[i] == code {
					sum, n = sum+v, n+1
				}
			}
			return sum / n
		}
		var means []float64
		for _, xs := range x.some(1000) {
			means = append(means, mean(xs))
		}
		interval.X0 = append(interval.X0, stats.Quantile(means, .05))
		interval.X1 = append(interval.X1, stats.Quantile(means, .95))
		interval.Y0, interval.Y1 = append(interval.Y0, at), append(interval.Y1, at)
		seen.X, seen.Y = append(seen.X, mean(x.data)), append(seen.Y, at)
		p.Y.Ticks = append(p.Y.Ticks, Tick{at, label(code)})
	}
	interval.Style = Style{Color: Main, Width: 2, Label: "90 % of replicates"}
	seen.Style = Style{Color: Second, Width: 2.6, Label: "data"}
	p.Layers = []Layer{interval, seen}
	return p
}
