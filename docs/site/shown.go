package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"ppl/autodiff"
	"ppl/posterior/plot"
	"ppl/stdlib"
)

// A shown describes the example and picture on the page of a distribution.
type shown struct {
	lo, hi float64       // range of the x axis
	args   [][][]float64 // for each curve, the arguments of the first form, flattened
	size   []int         // shape of a draw; empty for numbers
	text   string        // code of the example; if empty, it is made from args
}

// curves describes a distribution of numbers. Each list has the arguments of one curve.
func curves(lo, hi float64, args ...[]float64) shown {
	s := shown{lo: lo, hi: hi}
	for _, values := range args {
		one := make([][]float64, len(values))
		for i, v := range values {
			one[i] = []float64{v}
		}
		s.args = append(s.args, one)
	}
	return s
}

// arrays describes a distribution of vectors or matrices. text is the example, and size the shape of a draw.
func arrays(text string, size []int, args ...[]float64) shown {
	return shown{text: text, size: size, args: [][][]float64{args}}
}

// counts describes a distribution over 1..hi with array arguments.
func counts(hi float64, text string, args ...[]float64) shown {
	return shown{lo: 1, hi: hi, text: text, args: [][][]float64{args}}
}

// list is a short form of a slice literal.
func list(values ...float64) []float64 { return values }

// example returns the code of an example with the distribution.
func (s shown) example(d *stdlib.Dist) string {
	switch call := d.Name + s.label(len(s.args)-1); {
	case s.text != "":
		return s.text
	case d.Discrete():
		return "generate k ~ " + call
	default:
		return "x ~ " + call
	}
}

// label returns the arguments of a curve in parentheses, or "" if there are none.
func (s shown) label(curve int) string {
	if curve < 0 || len(s.args[curve]) == 0 {
		return ""
	}
	var all []string
	for _, a := range s.args[curve] {
		all = append(all, strconv.FormatFloat(a[0], 'g', -1, 64))
	}
	return "(" + strings.Join(all, ", ") + ")"
}

func (s shown) caption(d *stdlib.Dist) string {
	switch {
	case len(s.size) == 1 && d.InTime:
		return "Five draws"
	case len(s.size) == 1:
		return "The first two elements of 1,000 draws"
	case len(s.size) == 2:
		return "An element of 4,000 draws"
	case d.Discrete():
		return "Probabilities"
	}
	return "Densities"
}

// picture plots the density for each list of arguments, or draws of distributions of arrays. ok is false if the
// distribution cannot be drawn.
func (s shown) picture(d *stdlib.Dist) (p plot.Picture, ok bool) {
	panel := plot.Panel{Y: plot.Axis{Label: strings.ToLower(s.caption(d))}, X: plot.Axis{Label: "x"}}
	switch {
	case len(s.args) == 0 || d.Improper:
		return p, false
	case len(s.size) == 0 && d.Discrete():
		s.probabilities(d, &panel)
	case len(s.size) == 0:
		s.densities(d, &panel)
	case d.InTime:
		s.paths(d, &panel)
	case len(s.size) == 1:
		s.scatter(d, &panel)
	default:
		s.histogram(d, &panel)
	}
	return plot.Picture{Columns: 1, Panels: []plot.Panel{panel}}, true
}

func (s shown) style(curve int) plot.Style {
	style := plot.Style{Color: curve, Width: 1.5}
	if len(s.args) > 1 {
		style.Label = strings.Trim(s.label(curve), "()")
	}
	return style
}

// logProbs evaluates the log density of the first form at xs.
func logProbs(d *stdlib.Dist, values [][]float64, xs []float64) []float64 {
	g, form := autodiff.New(), d.Forms[0]
	args := make([]autodiff.Node, len(values))
	for i, v := range values {
		var shape []int
		if form.Args[i].Rank == 1 {
			shape = []int{len(v)}
		}
		args[i] = g.Data(form.Args[i].Name, v, shape...)
	}
	return autodiff.Eval(nil, form.LogProb(g.Data("x", xs, len(xs)), args))[0]
}

func (s shown) densities(d *stdlib.Dist, panel *plot.Panel) {
	const points = 400
	for curve, args := range s.args {
		xs, ys := make([]float64, points+1), make([]float64, points+1)
		for i := range xs {
			xs[i] = s.lo + (s.hi-s.lo)*float64(i)/points
		}
		for i, l := range logProbs(d, args, xs) {
			ys[i] = math.Exp(l)
			if math.IsInf(ys[i], 1) {
				ys[i] = math.NaN()
			}
		}
		panel.Layers = append(panel.Layers, finiteLine(xs, ys, s.style(curve)))
	}
}

// finiteLine omits the points at which the density is infinite.
func finiteLine(xs, ys []float64, style plot.Style) plot.Line {
	line := plot.Line{Style: style}
	for i := range xs {
		if !math.IsNaN(ys[i]) {
			line.X, line.Y = append(line.X, xs[i]), append(line.Y, ys[i])
		}
	}
	return line
}

// probabilities draws a bar for each integer. Bars of different arguments are next to each other.
func (s shown) probabilities(d *stdlib.Dist, panel *plot.Panel) {
	var xs []float64
	for x := s.lo; x <= s.hi; x++ {
		xs = append(xs, x)
	}
	for curve, args := range s.args {
		style, aside := s.style(curve), 0.2*(float64(curve)-float64(len(s.args)-1)/2)
		style.Width = 3
		bars := plot.Segments{Style: style}
		for i, l := range logProbs(d, args, xs) {
			bars.X0, bars.Y0 = append(bars.X0, xs[i]+aside), append(bars.Y0, 0)
			bars.X1, bars.Y1 = append(bars.X1, xs[i]+aside), append(bars.Y1, math.Exp(l))
		}
		panel.Layers = append(panel.Layers, bars)
	}
}

// draws returns n draws, each flattened.
func (s shown) draws(d *stdlib.Dist, n int) (all [][]float64) {
	size := 1
	for _, k := range s.size {
		size *= k
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range n {
		x := make([]float64, size)
		d.Forms[0].Sample(r, s.args[0], x)
		all = append(all, x)
	}
	return all
}

func (s shown) paths(d *stdlib.Dist, panel *plot.Panel) {
	panel.X.Label, panel.Y.Label = "t", "x[t]"
	for i, x := range s.draws(d, 5) {
		line := plot.Line{Y: x, Style: plot.Style{Color: i, Width: 1.2}}
		for t := range x {
			line.X = append(line.X, float64(t+1))
		}
		panel.Layers = append(panel.Layers, line)
	}
}

func (s shown) scatter(d *stdlib.Dist, panel *plot.Panel) {
	panel.X.Label, panel.Y.Label = "x[1]", "x[2]"
	points := plot.Points{Style: plot.Style{Color: plot.Main, Faint: true}}
	for _, x := range s.draws(d, 1000) {
		points.X, points.Y = append(points.X, x[0]), append(points.Y, x[1])
	}
	panel.Layers = append(panel.Layers, points)
}

// histogram draws a histogram of the element in row 2 and column 1.
func (s shown) histogram(d *stdlib.Dist, panel *plot.Panel) {
	at := s.size[1]
	panel.X.Label, panel.Y.Label = fmt.Sprintf("element [2, 1] of %d × %d", s.size[0], s.size[1]), "draws"
	lo, hi := math.Inf(1), math.Inf(-1)
	all := s.draws(d, 4000)
	for _, x := range all {
		lo, hi = min(lo, x[at]), max(hi, x[at])
	}
	const bins = 40
	bars := plot.Bars{Heights: make([]float64, bins), Style: plot.Style{Color: plot.Main}}
	for i := range bins + 1 {
		bars.Edges = append(bars.Edges, lo+(hi-lo)*float64(i)/bins)
	}
	for _, x := range all {
		bars.Heights[min(bins-1, int((x[at]-lo)/(hi-lo)*bins))]++
	}
	panel.Layers = append(panel.Layers, bars)
}
