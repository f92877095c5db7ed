// Package plot draws figures of a run: traces, densities, predictive checks and others. Kinds lists them.
//
// Each kind describes its figure as a Picture: panels with axes, and layers of lines, points, bars and bands in the
// units of the data. Two back ends render pictures: Write writes PNG, SVG and PDF files through gonum/plot; Text prints
// braille characters to a terminal.
//
//	run, err := store.Open("eight_schools.run")
//	p, err := plot.Draw(run, "trace", plot.Options{Names: []string{"tau"}})
//	err = plot.Text(os.Stdout, p, 80, false)
package plot

import "math"

// A Picture is a grid of panels, listed row by row.
type Picture struct {
	Title   string
	Columns int // number of panels in a row
	Panels  []Panel
	Notes   []string // remarks for the reader, in sentences
}

// A Panel is a pair of axes with layers. The first layer is at the bottom.
type Panel struct {
	Title  string
	X, Y   Axis
	Layers []Layer

	// LegendLow puts the legend at the bottom, for panels whose layers leave space there.
	LegendLow bool
}

// An Axis spans From to To. If these are equal, it spans the layers.
type Axis struct {
	Label    string
	From, To float64
	Ticks    []Tick // nil to choose ticks automatically
	Bare     bool   // draw no numbers and no line, since only the shape matters
}

// A Tick is a label at a position on an axis.
type Tick struct {
	At    float64
	Label string
}

// A Style is the appearance of a layer.
type Style struct {
	Color  int // index in the palette
	Width  float64
	Dashed bool
	Faint  bool
	Label  string // label in the legend; empty for none
}

// These palette entries have fixed meanings. Chains are coloured by their index.
const (
	Main   = 0
	Second = 1
	Alarm  = 3
	Quiet  = 7
)

// A Layer is a part of a panel in the units of its axes.
type Layer interface {
	style() Style
	// extent calls see with points that the axes must include. A coordinate that does not matter is NaN.
	extent(see func(x, y float64))
}

// Line connects points.
type Line struct {
	X, Y []float64
	Style
}

// Points are separate marks.
type Points struct {
	X, Y []float64
	Style
}

// Bars extend from 0 to Heights. Bar i spans Edges[i] to Edges[i+1].
type Bars struct {
	Edges, Heights []float64
	Style
}

// Band fills the area between Lo and Hi.
type Band struct {
	X, Lo, Hi []float64
	Style
}

// Segments are straight lines between pairs of points.
type Segments struct {
	X0, Y0, X1, Y1 []float64
	Style
}

// Rule is a straight line across the panel: Y = At if Horizontal, else X = At.
type Rule struct {
	At         float64
	Horizontal bool
	Style
}

func (s Style) style() Style { return s }

func (l Line) extent(see func(x, y float64))   { each(l.X, l.Y, see) }
func (l Points) extent(see func(x, y float64)) { each(l.X, l.Y, see) }
func (l Band) extent(see func(x, y float64))   { each(l.X, l.Lo, see); each(l.X, l.Hi, see) }
func (l Segments) extent(see func(x, y float64)) {
	each(l.X0, l.Y0, see)
	each(l.X1, l.Y1, see)
}

func (l Bars) extent(see func(x, y float64)) {
	for i, h := range l.Heights {
		see(l.Edges[i], 0)
		see(l.Edges[i+1], h)
	}
}

func (l Rule) extent(see func(x, y float64)) {
	if l.Horizontal {
		see(math.NaN(), l.At)
	} else {
		see(l.At, math.NaN())
	}
}

func each(xs, ys []float64, see func(x, y float64)) {
	for i := range xs {
		see(xs[i], ys[i])
	}
}

// frame returns the ranges of the panel's axes.
func (p Panel) frame() (x, y [2]float64) {
	x, y = [2]float64{math.Inf(1), math.Inf(-1)}, [2]float64{math.Inf(1), math.Inf(-1)}
	for _, l := range p.Layers {
		l.extent(func(u, v float64) { widen(&x, u); widen(&y, v) })
	}
	return p.X.span(x, 0.02), p.Y.span(y, 0.05)
}

// Size returns the number of points in all layers.
func (p Picture) Size() (n int) {
	for _, panel := range p.Panels {
		for _, l := range panel.Layers {
			l.extent(func(_, _ float64) { n++ })
		}
	}
	return n
}

func widen(r *[2]float64, v float64) {
	if !math.IsNaN(v) && !math.IsInf(v, 0) {
		r[0], r[1] = math.Min(r[0], v), math.Max(r[1], v)
	}
}

// span returns the range of the axis: From to To if they differ, else the range of the data with a margin.
func (a Axis) span(data [2]float64, margin float64) [2]float64 {
	if a.From != a.To {
		return [2]float64{a.From, a.To}
	}
	if data[0] > data[1] {
		return [2]float64{0, 1}
	}
	pad := margin * (data[1] - data[0])
	if pad == 0 {
		pad = math.Max(1e-9, math.Abs(data[0])*1e-3)
	}
	if a.Bare && data[0] == 0 { // no margin below densities and histograms, which start at 0
		return [2]float64{0, data[1] + pad}
	}
	return [2]float64{data[0] - pad, data[1] + pad}
}
