package plot

import (
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"
)

// Text prints a picture as braille, width columns wide. Each character holds two columns of four dots. If colour is
// set, ANSI codes give each character the colour of the layer drawn last in it.
func Text(w io.Writer, p Picture, width int, colour bool) error {
	width = max(width, leastWidth)
	columns, _ := p.grid()
	columns = max(1, min(columns, width/leastWidth))
	rows := (len(p.Panels) + columns - 1) / columns
	var b strings.Builder
	if p.Title != "" {
		b.WriteString(p.Title + "\n\n")
	}
	for r := range rows {
		row := p.Panels[r*columns : min(len(p.Panels), (r+1)*columns)]
		for _, line := range sideBySide(row, width/columns, colour) {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

const (
	leastWidth = 36 // minimum width of a panel, in columns
	textHeight = 10 // height of a panel, in lines
)

func sideBySide(panels []Panel, width int, colour bool) []string {
	var lines []string
	for k, p := range panels {
		for i, line := range p.lines(width-2, colour) {
			if i == len(lines) {
				lines = append(lines, strings.Repeat(" ", k*width))
			}
			lines[i] += line + "  "
		}
	}
	return lines
}

// lines returns the text lines of a panel, all of the same width: the title, the dots with the labels of the vertical
// axis to their left, and the horizontal axis.
func (p Panel) lines(width int, colour bool) []string {
	height := textHeight
	if n := len(p.Y.Ticks); n > 0 {
		height = max(n, 3)
	}
	x, y := p.frame()
	labels := p.sideLabels(y, height)
	side := 0
	for _, l := range labels {
		side = max(side, utf8.RuneCountInString(l))
	}
	side = min(side, width/2)
	d := newDots(width-side-1, height, x, y)
	for _, l := range p.Layers {
		d.draw(l)
	}
	out := []string{fit(strings.Repeat(" ", side+1)+p.Title, width)}
	for i, row := range d.rows(colour) {
		out = append(out, fitLeft(labels[i], side)+"│"+row)
	}
	out = append(out, strings.Repeat(" ", side)+"└"+strings.Repeat("─", width-side-1))
	out = append(out, fit(strings.Repeat(" ", side+1)+p.bottom(x, width-side-1), width))
	if p.X.Label != "" {
		out = append(out, fit(strings.Repeat(" ", side+1)+p.X.Label, width))
	}
	return out
}

// fit cuts or pads a text to a width.
func fit(text string, width int) string {
	runes := []rune(text)
	if len(runes) > width {
		return string(runes[:width-1]) + "…"
	}
	return text + strings.Repeat(" ", width-len(runes))
}

func fitLeft(text string, width int) string {
	if n := utf8.RuneCountInString(text); n < width {
		return strings.Repeat(" ", width-n) + text
	}
	return fit(text, width)
}

// sideLabels returns the label of the vertical axis for each line of dots, or "".
func (p Panel) sideLabels(y [2]float64, height int) []string {
	labels := make([]string, height)
	for _, t := range p.Y.ticks(y[0], y[1], 4) {
		line := int((y[1] - t.At) / (y[1] - y[0]) * float64(height))
		labels[max(0, min(height-1, line))] = t.Label
	}
	return labels
}

// bottom returns the line of labels below the horizontal axis. It omits labels that would overlap.
func (p Panel) bottom(x [2]float64, width int) string {
	line := []rune(strings.Repeat(" ", width))
	free := 0
	for _, t := range p.X.ticks(x[0], x[1], max(2, width/9)) {
		label := []rune(t.Label)
		at := int((t.At-x[0])/(x[1]-x[0])*float64(width)) - len(label)/2
		at = max(0, min(at, width-len(label)))
		if at < free {
			continue
		}
		copy(line[at:], label)
		free = at + len(label) + 1
	}
	return string(line)
}

// dots is a canvas of dots, two columns and four rows per character.
type dots struct {
	width, height int // in characters
	x, y          [2]float64
	cells         []uint8
	colors        []int
}

func newDots(width, height int, x, y [2]float64) *dots {
	width = max(width, 4)
	return &dots{width, height, x, y, make([]uint8, width*height), make([]int, width*height)}
}

func (d *dots) draw(layer Layer) {
	c := layer.style().Color
	switch l := layer.(type) {
	case Line:
		for i := 1; i < len(l.X); i++ {
			d.segment(l.X[i-1], l.Y[i-1], l.X[i], l.Y[i], c)
		}
	case Points:
		for i := range l.X {
			below, above := 0.0, 0.0
			if l.Width >= 2 { // a large point is a column of four dots, within one line of text
				below, above = d.dot(), 2*d.dot()
			}
			d.segment(l.X[i], l.Y[i]-below, l.X[i], l.Y[i]+above, c)
		}
	case Bars:
		for i, h := range l.Heights {
			d.fill(l.Edges[i], l.Edges[i+1], 0, h, c, 1)
		}
	case Band:
		for i := 1; i < len(l.X); i++ {
			d.fill(l.X[i-1], l.X[i], (l.Lo[i-1]+l.Lo[i])/2, (l.Hi[i-1]+l.Hi[i])/2, c, 2)
		}
	case Segments:
		for i := range l.X0 {
			d.segment(l.X0[i], l.Y0[i], l.X1[i], l.Y1[i], c)
			for k := -1.0; l.Width >= 2 && k <= 1; k++ { // a thick line is three dots high
				d.segment(l.X0[i], l.Y0[i]+k*d.dot(), l.X1[i], l.Y1[i]+k*d.dot(), c)
			}
		}
	case Rule:
		if l.Horizontal {
			d.fill(d.x[0], d.x[1], l.At, l.At, c, 2)
		} else {
			d.fill(l.At, l.At, d.y[0], d.y[1], c, 2)
		}
	}
}

// dot returns the height of one dot in data units.
func (d *dots) dot() float64 { return (d.y[1] - d.y[0]) / float64(4*d.height) }

// cell returns the column and row of the dot at a point. ok is false if the point is outside the canvas or not finite.
func (d *dots) cell(x, y float64) (i, j int, ok bool) {
	u, v := (x-d.x[0])/(d.x[1]-d.x[0]), (d.y[1]-y)/(d.y[1]-d.y[0])
	if !(u >= -1e-9 && u <= 1+1e-9 && v >= -1e-9 && v <= 1+1e-9) {
		return 0, 0, false
	}
	return min(2*d.width-1, int(u*float64(2*d.width)+1e-6)), min(4*d.height-1, int(v*float64(4*d.height)+1e-6)), true
}

func (d *dots) set(i, j, color int) {
	bits := [4][2]uint8{{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}
	cell := j/4*d.width + i/2
	d.cells[cell] |= bits[j%4][i%2]
	d.colors[cell] = color
}

// segment draws a straight line.
func (d *dots) segment(x0, y0, x1, y1 float64, color int) {
	steps := math.Max(math.Abs(x1-x0)/(d.x[1]-d.x[0])*float64(2*d.width),
		math.Abs(y1-y0)/(d.y[1]-d.y[0])*float64(4*d.height))
	n := 1
	if steps > 1 && !math.IsInf(steps, 0) && !math.IsNaN(steps) {
		n = min(int(steps)+1, 100*d.width)
	}
	for k := range n + 1 {
		t := float64(k) / float64(n)
		if i, j, ok := d.cell(x0+t*(x1-x0), y0+t*(y1-y0)); ok {
			d.set(i, j, color)
		}
	}
}

// fill draws a filled rectangle. It sets every dot if sparse is 1, and a checkerboard if it is 2.
func (d *dots) fill(x0, x1, y0, y1 float64, color, sparse int) {
	clamp := func(v float64, r [2]float64) float64 { return math.Max(r[0], math.Min(r[1], v)) }
	if math.IsNaN(x0+x1+y0+y1) || math.Max(y0, y1) < d.y[0] || math.Min(y0, y1) > d.y[1] {
		return
	}
	left, top, _ := d.cell(clamp(math.Min(x0, x1), d.x), clamp(math.Max(y0, y1), d.y))
	right, bottom, _ := d.cell(clamp(math.Max(x0, x1), d.x), clamp(math.Min(y0, y1), d.y))
	for i := left; i <= right; i++ {
		for j := top; j <= bottom; j++ {
			if (i+j)%sparse == 0 {
				d.set(i, j, color)
			}
		}
	}
}

// rows returns the canvas as lines of characters.
func (d *dots) rows(colour bool) []string {
	codes := []int{34, 33, 32, 31, 35, 36, 93, 90}
	out := make([]string, d.height)
	for r := range out {
		var b strings.Builder
		for c := range d.width {
			cell := r*d.width + c
			switch bits := d.cells[cell]; {
			case bits == 0:
				b.WriteByte(' ')
			case colour:
				fmt.Fprintf(&b, "\x1b[%dm%c\x1b[0m", codes[d.colors[cell]%len(codes)], rune(0x2800+int(bits)))
			default:
				b.WriteRune(rune(0x2800 + int(bits)))
			}
		}
		out[r] = b.String()
	}
	return out
}
