package plot

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Formats returns the file extensions that Write supports.
func Formats() []string { return []string{"png", "svg", "pdf"} }

// FormatOf returns the format given by a file's extension.
func FormatOf(path string) (string, error) {
	ending := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")
	for _, f := range Formats() {
		if f == ending {
			return f, nil
		}
	}
	return "", fmt.Errorf("%s: the name of a picture's file must end in one of .%s", path,
		strings.Join(Formats(), ", ."))
}

const (
	panelWidth  = 3.1 * vg.Inch
	panelHeight = 2.1 * vg.Inch
	titleHeight = 0.35 * vg.Inch
	dotsPerInch = 144
)

// A Size is the width and height of a figure in centimetres. The zero value selects a size that fits the panels.
type Size struct{ Width, Height float64 }

// ParseSize parses a size such as 16x10cm or 6x4in.
func ParseSize(text string) (s Size, err error) {
	number, unit := strings.TrimSuffix(text, "cm"), 1.0
	if inches, ok := strings.CutSuffix(text, "in"); ok {
		number, unit = inches, 2.54
	}
	width, height, ok := strings.Cut(number, "x")
	s.Width, err = strconv.ParseFloat(width, 64)
	if err == nil {
		s.Height, err = strconv.ParseFloat(height, 64)
	}
	const most = 500 // larger figures would exhaust the memory
	s.Width, s.Height = s.Width*unit, s.Height*unit
	if !ok || err != nil || !(s.Width >= 1 && s.Width <= most && s.Height >= 1 && s.Height <= most) {
		return Size{}, fmt.Errorf("%q is not a size; write width and height, such as 16x10cm or 6x4in", text)
	}
	return s, nil
}

// Write writes a figure in the given format.
func Write(w io.Writer, p Picture, format string, size Size) error {
	width, height := p.size()
	if size != (Size{}) {
		width, height = vg.Length(size.Width)*vg.Centimeter, vg.Length(size.Height)*vg.Centimeter
	}
	switch format {
	case "pdf":
		c := vgpdf.New(width, height)
		p.paint(draw.New(c))
		_, err := c.WriteTo(w)
		return err
	case "svg":
		c := vgsvg.New(width, height)
		p.paint(draw.New(c))
		_, err := c.WriteTo(w)
		return err
	case "png":
		c := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dotsPerInch))
		p.paint(draw.New(c))
		_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(w)
		return err
	}
	return fmt.Errorf("unknown format %q for pictures; available: %s", format, strings.Join(Formats(), ", "))
}

func (p Picture) size() (width, height vg.Length) {
	columns, rows := p.grid()
	width, height = vg.Length(columns)*panelWidth, vg.Length(rows)*panelHeight
	if columns == 1 {
		width = 2 * panelWidth
	}
	height += p.extraHeight()
	if p.Title != "" {
		height += titleHeight
	}
	return width, height
}

func (p Picture) grid() (columns, rows int) {
	columns = max(1, min(p.Columns, len(p.Panels)))
	return columns, max(1, (len(p.Panels)+columns-1)/columns)
}

// extraHeight returns the additional height that many category labels need.
func (p Picture) extraHeight() vg.Length {
	most := 0
	for _, panel := range p.Panels {
		most = max(most, len(panel.Y.Ticks))
	}
	return vg.Length(max(0, most-10)) * 13
}

func (p Picture) paint(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	if p.Title != "" {
		style := words(11, color.Gray{40})
		style.Font.Weight = 2 // bold
		style.XAlign, style.YAlign = text.XLeft, text.YTop
		c.FillText(style, vg.Point{X: c.Min.X + 10, Y: c.Max.Y - 8}, p.Title)
		c = draw.Crop(c, 0, 0, 0, -titleHeight)
	}
	p.eachPanel(c, func(tile draw.Canvas, panel *plot.Plot, _ Panel) { panel.Draw(tile) })
}

// eachPanel calls visit for each panel that has layers, with its area below the title. Axes are aligned within each row
// and column, whatever the width of their labels.
func (p Picture) eachPanel(c draw.Canvas, visit func(tile draw.Canvas, panel *plot.Plot, of Panel)) {
	columns, rows := p.grid()
	tiles := draw.Tiles{Cols: columns, Rows: rows, PadX: 12, PadY: 10, PadTop: 2, PadBottom: 8, PadLeft: 8,
		PadRight: 14}
	plots := make([][]*plot.Plot, rows)
	for row := range plots {
		plots[row] = make([]*plot.Plot, columns)
	}
	for i, panel := range p.Panels {
		if len(panel.Layers) > 0 {
			plots[i/columns][i%columns] = panel.plot(i == 0)
		}
	}
	places := plot.Align(plots, tiles, c)
	for i, panel := range p.Panels {
		if drawn := plots[i/columns][i%columns]; drawn != nil {
			visit(places[i/columns][i%columns], drawn, panel)
		}
	}
}

// A Frame describes the data area of a panel in a figure without a title: its position and size as fractions of the
// figure's width and height from the upper left corner, and the ranges of its axes.
type Frame struct {
	Title                    string
	Left, Top, Width, Height float64
	X, Y                     [2]float64
	XName, YName             string
	Names                    []Tick // category labels along the Y axis; nil for numbers
}

// Frames returns the frames of the panels that have layers. The HTML report uses them to show the values under the
// mouse pointer.
func Frames(p Picture) (all []Frame) {
	width, height := p.size()
	c := draw.New(vgsvg.New(width, height))
	p.eachPanel(c, func(tile draw.Canvas, panel *plot.Plot, of Panel) {
		at := panel.DataCanvas(tile)
		all = append(all, Frame{of.Title, float64((at.Min.X - c.Min.X) / width), float64((c.Max.Y - at.Max.Y) / height),
			float64((at.Max.X - at.Min.X) / width), float64((at.Max.Y - at.Min.Y) / height),
			[2]float64{panel.X.Min, panel.X.Max}, [2]float64{panel.Y.Min, panel.Y.Max}, of.X.Label, of.Y.Label,
			of.Y.Ticks})
	})
	return all
}

func words(size vg.Length, c color.Color) draw.TextStyle {
	return draw.TextStyle{Color: c, Font: font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size),
		Handler: plot.DefaultTextHandler}
}

// plot converts a panel to a gonum plot. If legend is true, the plot has a legend of the layers with a label.
func (p Panel) plot(legend bool) *plot.Plot {
	out := plot.New()
	out.BackgroundColor = nil
	out.Title.Text, out.Title.TextStyle, out.Title.Padding = p.Title, titled(), 4
	out.Legend.TextStyle, out.Legend.Top, out.Legend.ThumbnailWidth = words(7, ink), !p.LegendLow, 12
	out.Legend.XOffs, out.Legend.YOffs = -4, 2
	if out.Legend.Top {
		out.Legend.YOffs = -2
	}
	x, y := p.frame()
	out.X.Min, out.X.Max, out.Y.Min, out.Y.Max = x[0], x[1], y[0], y[1]
	p.X.dress(&out.X)
	p.Y.dress(&out.Y)
	out.Add(grid{vertical: !p.X.Bare, horizontal: !p.Y.Bare})
	for _, l := range p.Layers {
		out.Add(painter{l})
		if label := l.style().Label; label != "" && legend {
			out.Legend.Add(label, painter{l})
		}
	}
	return out
}

var (
	ink  = color.Gray{90}
	pale = color.Gray{228}
)

func titled() draw.TextStyle {
	style := words(9, color.Gray{40})
	style.XAlign, style.YAlign = draw.XCenter, draw.YTop
	return style
}

// dress applies the fonts, colours and ticks of this package to an axis.
func (a Axis) dress(to *plot.Axis) {
	style := words(8, ink)
	style.XAlign, style.YAlign = to.Label.TextStyle.XAlign, to.Label.TextStyle.YAlign
	to.Label.Text, to.Label.TextStyle = a.Label, style
	to.LineStyle.Color, to.LineStyle.Width = color.Gray{160}, .6
	if a.Bare {
		to.LineStyle.Width = 0
	}
	labels := words(7, ink)
	labels.XAlign, labels.YAlign = to.Tick.Label.XAlign, to.Tick.Label.YAlign
	to.Tick.Label, to.Tick.LineStyle.Color, to.Tick.Length, to.Padding = labels, color.Gray{160}, 3, 2
	to.Tick.Marker = plot.TickerFunc(func(lo, hi float64) (out []plot.Tick) {
		for _, t := range a.ticks(lo, hi, 6) {
			out = append(out, plot.Tick{Value: t.At, Label: t.Label})
		}
		return out
	})
}

// ticks returns the elements of a.Ticks between lo and hi. If a.Ticks is nil, it returns about `most` ticks at round
// numbers, or none if the axis is bare.
func (a Axis) ticks(lo, hi float64, most int) (out []Tick) {
	if a.Bare && a.Ticks == nil {
		return nil
	}
	if a.Ticks != nil {
		for _, t := range a.Ticks {
			if t.At >= lo && t.At <= hi {
				out = append(out, t)
			}
		}
		return out
	}
	step := niceStep((hi - lo) / float64(most-1))
	for k := math.Ceil(lo/step - 1e-9); k*step <= hi+1e-9*step && len(out) < 2*most; k++ {
		out = append(out, Tick{k * step, number(k*step, step)})
	}
	return out
}

// niceStep returns the smallest number that is 1, 2 or 5 times a power of ten and at least x.
func niceStep(x float64) float64 {
	if !(x > 0) {
		return 1
	}
	unit := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{1, 2, 5} {
		if m*unit >= x*(1-1e-9) {
			return m * unit
		}
	}
	return 10 * unit
}

// number formats x with the number of decimals that a tick distance of step requires.
func number(x, step float64) string {
	if math.Abs(x) < step/1e6 {
		return "0"
	}
	if math.Abs(x) >= 1e6 || math.Abs(step) < 1e-4 {
		return strconv.FormatFloat(x, 'g', 4, 64)
	}
	return strconv.FormatFloat(x, 'f', max(0, int(math.Ceil(-math.Log10(step)-1e-9))), 64)
}

// palette returns colours that remain distinct with every kind of colour vision (Okabe and Ito).
func palette() []color.NRGBA {
	return []color.NRGBA{{0, 114, 178, 255}, {230, 159, 0, 255}, {0, 158, 115, 255}, {213, 94, 0, 255},
		{204, 121, 167, 255}, {86, 180, 233, 255}, {160, 140, 20, 255}, {130, 130, 130, 255}}
}

func (s Style) color() color.NRGBA {
	all := palette()
	c := all[s.Color%len(all)]
	if s.Faint {
		c.A = 70
	}
	return c
}

func (s Style) line() draw.LineStyle {
	style := draw.LineStyle{Color: s.color(), Width: vg.Length(max(s.Width, 1))}
	if s.Width > 0 && s.Width < 1 {
		style.Width = vg.Length(s.Width)
	}
	if s.Dashed {
		style.Dashes = []vg.Length{4, 3}
	}
	return style
}

// A grid draws faint lines at the ticks of both axes.
type grid struct{ vertical, horizontal bool }

func (g grid) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	style := draw.LineStyle{Color: pale, Width: .5}
	if g.vertical {
		for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
			c.StrokeLine2(style, tx(t.Value), c.Min.Y, tx(t.Value), c.Max.Y)
		}
	}
	if g.horizontal {
		for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
			c.StrokeLine2(style, c.Min.X, ty(t.Value), c.Max.X, ty(t.Value))
		}
	}
}

// A painter draws a layer on a gonum canvas.
type painter struct{ layer Layer }

// Thumbnail draws the layer's mark in the legend.
func (k painter) Thumbnail(c *draw.Canvas) {
	style := k.layer.style().line()
	style.Width = 2
	y := (c.Min.Y + c.Max.Y) / 2
	c.StrokeLine2(style, c.Min.X, y, c.Max.X, y)
}

// Plot draws the layer.
func (k painter) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	at := func(x, y float64) vg.Point { return vg.Point{X: tx(x), Y: ty(y)} }
	style := k.layer.style()
	switch l := k.layer.(type) {
	case Line:
		c.StrokeLines(style.line(), c.ClipLinesXY(finite(l.X, l.Y, at))...)
	case Points:
		k.points(c, l, at)
	case Bars:
		for i, h := range l.Heights {
			c.FillPolygon(fill(style), c.ClipPolygonXY([]vg.Point{at(l.Edges[i], 0), at(l.Edges[i], h),
				at(l.Edges[i+1], h), at(l.Edges[i+1], 0)}))
		}
	case Band:
		var edge []vg.Point
		for i, x := range l.X {
			edge = append(edge, at(x, l.Hi[i]))
		}
		for i := len(l.X) - 1; i >= 0; i-- {
			edge = append(edge, at(l.X[i], l.Lo[i]))
		}
		c.FillPolygon(fill(style), c.ClipPolygonXY(edge))
	case Segments:
		for i := range l.X0 {
			c.StrokeLines(style.line(), c.ClipLinesXY([]vg.Point{at(l.X0[i], l.Y0[i]), at(l.X1[i], l.Y1[i])})...)
		}
	case Rule:
		if l.Horizontal {
			c.StrokeLine2(style.line(), c.Min.X, ty(l.At), c.Max.X, ty(l.At))
		} else {
			c.StrokeLine2(style.line(), tx(l.At), c.Min.Y, tx(l.At), c.Max.Y)
		}
	}
}

func (k painter) points(c draw.Canvas, l Points, at func(x, y float64) vg.Point) {
	radius := vg.Length(1.6)
	if l.Width > 0 {
		radius = vg.Length(l.Width)
	}
	glyph := draw.GlyphStyle{Color: l.color(), Radius: radius, Shape: draw.CircleGlyph{}}
	for i := range l.X {
		if p := at(l.X[i], l.Y[i]); c.Contains(p) {
			c.DrawGlyph(glyph, p)
		}
	}
}

func fill(s Style) color.NRGBA {
	c := s.color()
	if !s.Faint {
		c.A = 190
	}
	return c
}

// finite returns the points of a line, without those that are not finite.
func finite(xs, ys []float64, at func(x, y float64) vg.Point) (points []vg.Point) {
	for i := range xs {
		if !math.IsNaN(xs[i]) && !math.IsNaN(ys[i]) && !math.IsInf(ys[i], 0) {
			points = append(points, at(xs[i], ys[i]))
		}
	}
	return points
}
