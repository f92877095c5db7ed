package plot

// A Curve is a quantity with an interval, as a function of a number or a category.
type Curve struct {
	Label        string // label in the legend; empty for none
	X            []float64
	Mean, Lo, Hi []float64
	AtCategories bool // X holds positions of categories, so points are not joined
}

// Effects draws the curves in one panel, with all intervals below the lines.
func Effects(x, y Axis, curves []Curve) Picture {
	var below, above []Layer
	for k, c := range curves {
		color := []int{Main, Second, 2, Alarm, 4, 5, 6}[k%7]
		if !c.AtCategories {
			below = append(below, Band{c.X, c.Lo, c.Hi, Style{Color: color, Faint: true}})
			above = append(above, Line{c.X, c.Mean, Style{Color: color, Width: 1.6, Label: c.Label}})
			continue
		}
		at := make([]float64, len(c.X)) // shifted, so that curves do not overlap
		for i, v := range c.X {
			at[i] = v + 0.12*(float64(k)-float64(len(curves)-1)/2)
		}
		below = append(below, Segments{at, c.Lo, at, c.Hi, Style{Color: color, Width: 1.6}})
		above = append(above, Points{at, c.Mean, Style{Color: color, Width: 3, Label: c.Label}})
	}
	return Picture{Columns: 1, Panels: []Panel{{X: x, Y: y, Layers: append(below, above...)}}}
}
