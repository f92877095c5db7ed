package lab

import (
	"errors"
	"io"
	"os"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/palette"
	"gonum.org/v1/plot/palette/moreland"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Axes has the title and labels of a figure, and which scales are logarithmic.
type Axes struct {
	Title, X, Y string
	LogX, LogY  bool
}

// A Line is a named series of points.
type Line struct {
	Name   string
	Points plotter.XYs
}

// Lines plots series to an SVG file, with a legend on the right. It omits points that are infinite, NaN, or not
// positive on a logarithmic scale.
func Lines(path string, a Axes, lines ...Line) error {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text, p.Legend.Top = a.Title, a.X, a.Y, true
	if a.LogX {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, decades{}
	}
	if a.LogY {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, decades{}
	}
	var series []any
	for _, l := range lines {
		series = append(series, l.Name, a.visible(l.Points))
	}
	p.Add(plotter.NewGrid())
	if err := plotutil.AddLinePoints(p, series...); err != nil {
		return err
	}
	return drawBeside(path, p)
}

// visible returns the points that the axes can show.
func (a Axes) visible(points plotter.XYs) plotter.XYs {
	shows := func(x float64, log bool) bool { return x-x == 0 && (x > 0 || !log) }
	return slices.DeleteFunc(slices.Clone(points), func(p plotter.XY) bool {
		return !shows(p.X, a.LogX) || !shows(p.Y, a.LogY)
	})
}

// drawBeside draws a plot with the legend to its right.
func drawBeside(path string, p *plot.Plot) error {
	const width, height, margin = 22 * vg.Centimeter, 11 * vg.Centimeter, 7 * vg.Centimeter
	canvas, legend := vgsvg.New(width, height), p.Legend
	p.Legend = plot.NewLegend()
	p.Draw(draw.Crop(draw.New(canvas), 0, -margin, 0, 0))
	legend.Left = true
	legend.Draw(draw.Crop(draw.New(canvas), width-margin+vg.Centimeter/2, 0, 0, -vg.Centimeter))
	return save(path, canvas)
}

// decades are the ticks of a logarithmic axis: those of plot.LogTicks with shorter labels.
type decades struct{}

// Ticks implements plot.Ticker.
func (decades) Ticks(lo, hi float64) []plot.Tick {
	ticks := plot.LogTicks{}.Ticks(lo, hi)
	for i, t := range ticks {
		if t.Label != "" {
			ticks[i].Label = strconv.FormatFloat(t.Value, 'g', 6, 64)
		}
	}
	return ticks
}

// A Panel is a named two-dimensional histogram over a square. Mass[i][j] is the mass in column i and row j, from the
// lower left.
type Panel struct {
	Name   string
	Lo, Hi float64
	Mass   [][]float64
}

// Dims, X, Y and Z implement plotter.GridXYZ.
func (p Panel) Dims() (columns, rows int) { return len(p.Mass), len(p.Mass[0]) }

// X returns the midpoint of a column.
func (p Panel) X(i int) float64 { return p.Lo + (p.Hi-p.Lo)*(float64(i)+0.5)/float64(len(p.Mass)) }

// Y returns the midpoint of a row.
func (p Panel) Y(j int) float64 { return p.Lo + (p.Hi-p.Lo)*(float64(j)+0.5)/float64(len(p.Mass[0])) }

// Z returns the mass of a cell.
func (p Panel) Z(i, j int) float64 { return p.Mass[i][j] }

// Panels draws histograms into a PNG file, with the given number of columns. All panels use one colour scale from 0 to
// most.
func Panels(path string, most float64, columns int, panels ...Panel) error {
	rows := (len(panels) + columns - 1) / columns
	tiles := make([][]*plot.Plot, rows)
	for k := range rows * columns {
		p := plot.New()
		if k < len(panels) {
			heat := plotter.NewHeatMap(panels[k], palette.Reverse(moreland.BlackBody()).Palette(64))
			heat.Min, heat.Max, heat.Overflow = 0, most, heat.Palette.Colors()[63]
			p.Title.Text = panels[k].Name
			p.Add(heat)
		}
		p.HideAxes()
		tiles[k/columns] = append(tiles[k/columns], p)
	}
	side := 4.5 * vg.Centimeter
	canvas := vgimg.New(vg.Length(columns)*side, vg.Length(rows)*side)
	at := plot.Align(tiles, draw.Tiles{Rows: rows, Cols: columns, PadX: vg.Millimeter, PadY: vg.Millimeter},
		draw.New(canvas))
	for k := range panels {
		tiles[k/columns][k%columns].Draw(at[k/columns][k%columns])
	}
	return save(path, vgimg.PngCanvas{Canvas: canvas})
}

func save(path string, canvas io.WriterTo) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = canvas.WriteTo(f)
	return errors.Join(err, f.Close())
}
