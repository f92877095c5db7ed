package simulate

import (
	"math"
	"math/rand/v2"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
)

// A drawing holds the inputs for drawing a term's values: the nodes of its arguments and of the bounds of `in`, for
// each combination of plates.
type drawing struct {
	args   []autodiff.Node
	lo, hi autodiff.Node // valid if the term has `in`
}

// sample draws a term's value from its distribution at the arguments' current values.
func (g *Numbers) sample(r *rand.Rand, t *model.Term) []float64 {
	return g.sampleAt(r, t, func() (args []evaluate.Value) {
		for _, a := range t.Args {
			args = append(args, g.E.Expr(a))
		}
		return args
	})
}

// sampleAt draws a term's value. It calls arguments, which returns the term's arguments, only for the first draw.
func (g *Numbers) sampleAt(r *rand.Rand, t *model.Term, arguments func() []evaluate.Value) []float64 {
	from, ok := g.drawings[t]
	if !ok {
		from = g.newDrawing(t, arguments())
		g.drawings[t] = from
	}
	out := make([]float64, evaluate.Product(g.ShapeOf(t.Piece)))
	args := make([][]float64, len(from.args))
	for i, n := range from.args {
		args[i] = g.eval(n)
	}
	var lo, hi []float64
	if t.In != nil {
		lo, hi = g.eval(from.lo), g.eval(from.hi)
	}
	if t.Given != nil {
		g.sampleGiven(r, t, args, out)
	} else {
		g.sampleTerm(r, t, args, lo, hi, out)
	}
	return out
}

func (g *Numbers) newDrawing(t *model.Term, args []evaluate.Value) (d drawing) {
	for _, v := range args {
		d.args = append(d.args, g.E.Align(v, t.Plates, v.Axes))
	}
	if t.In != nil {
		d.lo = g.E.Align(g.E.Expr(t.In.Lo), t.Plates, nil)
		d.hi = g.E.Align(g.E.Expr(t.In.Hi), t.Plates, nil)
	}
	return d
}

// sampleGiven draws, for each combination of plates, the unknown elements of the event given the known ones.
func (g *Numbers) sampleGiven(r *rand.Rand, t *model.Term, args [][]float64, out []float64) {
	read := func(x model.Expr) []float64 {
		v := g.E.Expr(x)
		return g.eval(g.E.Align(v, t.Plates, v.Axes))
	}
	marks := read(t.Given.Known)
	copy(out, read(t.Given.Values))
	event := evaluate.Product(g.E.Shape(nil, t.Event))
	if len(out) == 0 || event == 0 {
		return
	}
	known, one := make([]bool, event), make([][]float64, len(args))
	rows := len(out) / event
	for k := range rows {
		for i := range known {
			known[i] = marks[k*event+i] != 0
		}
		for i, x := range args {
			n := len(x) / rows
			one[i] = x[k*n : (k+1)*n]
		}
		t.Form.Given(r, one, known, out[k*event:(k+1)*event])
	}
}

// sampleTerm draws a term's value. If the term is ordered or zero-sum, the draw is sorted, or centred, along the last
// plate. args, lo and hi are as for sampleRows.
func (g *Numbers) sampleTerm(r *rand.Rand, t *model.Term, args [][]float64, lo, hi, out []float64) {
	if !t.Ordered && !t.ZeroSum {
		g.sampleRows(r, t, args, lo, hi, out)
		return
	}
	n := g.E.Box(t.Plates[len(t.Plates)-1].Set).Size()
	for at := 0; at < len(out); at += n {
		part := func(x []float64) []float64 {
			per := len(x) / len(out)
			return x[at*per : (at+n)*per]
		}
		mine := make([][]float64, len(args))
		for i, x := range args {
			mine[i] = part(x)
		}
		if t.ZeroSum {
			g.sampleRows(r, t, mine, part(lo), part(hi), part(out))
			centre(part(out))
		} else {
			g.sampleOrdered(r, t, mine, part(lo), part(hi), part(out))
		}
	}
}

// sampleOrdered draws independent elements conditional on being ordered. If all have the same distribution, it sorts
// them. Otherwise it uses rejection; if that fails, it sorts, too, which gives a starting point but not a draw.
func (g *Numbers) sampleOrdered(r *rand.Rand, t *model.Term, args [][]float64, lo, hi, out []float64) {
	tries := maxRejections
	if !slices.ContainsFunc(append(slices.Clone(args), lo, hi),
		func(x []float64) bool { return changes(x, len(out)) }) {
		tries = 1
	}
	for range tries {
		g.sampleRows(r, t, args, lo, hi, out)
		if slices.IsSorted(out) {
			return
		}
	}
	slices.Sort(out)
}

// changes reports whether the n parts of x are not all equal.
func changes(x []float64, n int) bool {
	per := len(x) / n
	return per > 0 && !slices.Equal(x[per:], x[:len(x)-per])
}

func centre(x []float64) {
	mean := 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for i := range x {
		x[i] -= mean
	}
}

// sampleRows draws a term's value for every combination of its plates, row-major. args, and the bounds lo and hi if the
// term has `in`, have the same number of rows.
func (g *Numbers) sampleRows(r *rand.Rand, t *model.Term, args [][]float64, lo, hi, out []float64) {
	event := evaluate.Product(g.E.Shape(nil, t.Event))
	if len(out) == 0 || event == 0 {
		return
	}
	rows := len(out) / event
	one := make([][]float64, len(args))
	for k := range rows {
		for i := range args {
			n := len(args[i]) / rows
			one[i] = args[i][k*n : (k+1)*n]
		}
		a, b := math.Inf(-1), math.Inf(1)
		if t.In != nil {
			a, b = lo[k], hi[k]
		}
		g.sampleInside(r, t, one, out[k*event:(k+1)*event], a, b)
	}
}

const (
	fewRejections = 100 // costs about as much as one inversion
	maxRejections = 10000
)

// reject draws up to tries times until a draw is between lo and hi. It returns false if none is.
func reject(r *rand.Rand, t *model.Term, args [][]float64, out []float64, lo, hi float64, tries int) bool {
	for range tries {
		t.Form.Sample(r, args, out)
		if t.In == nil || out[0] >= lo && out[0] <= hi {
			return true
		}
	}
	return false
}

// sampleInside draws between lo and hi: first by rejection, then by inversion. If inversion is impossible, it continues
// with rejection and finally clips, which gives a starting point but not a draw.
func (g *Numbers) sampleInside(r *rand.Rand, t *model.Term, args [][]float64, out []float64, lo, hi float64) {
	if !reject(r, t, args, out, lo, hi, fewRejections) {
		if x, ok := g.between(r, t, args, lo, hi); ok {
			out[0] = x
		} else {
			reject(r, t, args, out, lo, hi, maxRejections)
		}
	}
	for i := range out {
		out[i] = math.Max(lo, math.Min(hi, out[i]))
		if t.Offset != nil {
			out[i] += t.Offset.(*model.Num).Value
		}
	}
}
