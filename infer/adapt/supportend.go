package adapt

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"ppl/posterior/stats"
)

// A SupportEnd is an end of the support of a parameter that walkers came near. Improper tests whether the target has a
// finite integral towards this end. For this test, the other coordinates are integrated out by Laplace's approximation
// (Tierney and Kadane 1986) at points further and further out:
//
//	y[n in 1..N] ~ Normal(m, s), all y equal   height at the best m: s^−N, width of m: s, with ds = s d log s: s^(2−N)
//	  N = 1                                    falls with s: the integral is finite
//	  N = 2, 3, …                              does not fall: the posterior is improper for any density of s at 0
//	b[i in 1..8] ~ Normal(m, s)                height s^−8, width of all b: s^8: falls with s, though the density is
//	                                           highest at s = 0
//
// Some of the other coordinates may be fixed instead of integrated out: the target is improper already if the integral
// over the rest is infinite for all nearby values of the fixed ones.
type SupportEnd struct {
	Coordinate int
	Up         bool
	from       []float64 // starting position of the walk outwards
	furthest   float64   // coordinate of the walker that was furthest out
}

const (
	farOff    = 10.0 // a coordinate beyond this is near the end: e^−10 and e^10 are far from usual scales
	manyFold  = 5.0  // a coordinate beyond the median of the walkers by this is also near the end
	outermost = 20.0 // walks go at least this far
	mostLooks = 3    // maximum number of tests of each end, over all windows
	mostWide  = 100  // maximum dimension, since each point needs a curvature
	firstFrom = 12.0 // walks start at most this far out
)

// Improper returns an end of a support that walkers of a window were near and at which the target has no finite
// integral. It returns nil if there is none.
func (r *Divergence) Improper(visited [][]float64, bounded []bool, evaluate Evaluator) (*SupportEnd, error) {
	if len(visited) == 0 || len(visited[0]) > mostWide || bounded == nil {
		return nil, nil
	}
	if r.Looks == nil {
		r.Looks = make([]Look, 2*len(visited[0]))
	}
	for j := range visited[0] {
		for side, up := range []bool{false, true} {
			look := &r.Looks[2*j+side]
			if !bounded[j] || look.Times == mostLooks {
				continue
			}
			o, far := endOf(visited, j, up)
			if !far || look.Falls && look.To > o.out() {
				continue
			}
			v, to, err := o.verdict(bounded, evaluate)
			if err != nil || v == flat {
				return &o, err
			}
			*look = Look{Times: look.Times + 1, To: to, Falls: v == falling}
		}
	}
	return nil, nil
}

// A Look records the tests of an end: their number, how far the last one went, and whether the integral fell.
type Look struct {
	Times int
	To    float64
	Falls bool
}

// out returns how far the furthest walker was in the direction of the end.
func (o SupportEnd) out() float64 { return direction(o.Up) * o.furthest }

// endOf returns an end of the support along coordinate j, and whether walkers were near it.
func endOf(visited [][]float64, j int, up bool) (o SupportEnd, far bool) {
	sign := direction(up)
	out := make([]float64, len(visited)) // signed coordinate of each position, larger towards the end
	for i, x := range visited {
		out[i] = sign * x[j]
	}
	middle, most := stats.Quantile(out, 0.5), slices.Max(out)
	begin := math.Max(math.Min(stats.Quantile(out, 0.25), firstFrom), -outermost)
	nearest := 0
	for i := range out {
		if math.Abs(out[i]-begin) < math.Abs(out[nearest]-begin) {
			nearest = i
		}
	}
	from := slices.Clone(visited[nearest])
	from[j] = sign * begin
	return SupportEnd{Coordinate: j, Up: up, from: from, furthest: sign * most}, most > farOff || most-middle > manyFold
}

// direction returns 1 if up, else −1.
func direction(up bool) float64 {
	if up {
		return 1
	}
	return -1
}

const (
	places    = 100   // maximum number of points of a walk, 1 apart
	steady    = 8     // the integral is flat if it did not fall over this many last points
	leastFall = 0.001 // minimum fall of the log integral from one point to the next
	fallen    = 20.0  // a walk ends when the log integral is this far below its maximum
	falls     = 3     // or when it has fallen this many times in a row, beyond all walkers
)

// A verdict is the result of a walk outwards.
type verdict int

const (
	unknown verdict = iota // the maximum over the other coordinates was not found at some point
	falling                // the integral towards the end is finite
	flat                   // the integral does not fall, even far beyond all walkers or near the limit of precision
)

// verdict walks outwards, and returns the result and how far the walk went. If the maximum over the other coordinates
// cannot be found, it repeats the walk with the bounded ones fixed.
func (o SupportEnd) verdict(bounded []bool, evaluate Evaluator) (v verdict, to float64, err error) {
	var all, some []int
	for j := range o.from {
		if j == o.Coordinate {
			continue
		}
		all = append(all, j)
		if !bounded[j] {
			some = append(some, j)
		}
	}
	v, to, err = o.walk(all, evaluate)
	if err == nil && v == unknown && len(some) < len(all) {
		v, to, err = o.walk(some, evaluate)
	}
	return v, to, err
}

// walk computes the log of the integral over some coordinates at points further and further out. It stops when the
// integral has clearly fallen, when the walk is long enough, or at the limit of double precision.
func (o SupportEnd) walk(over []int, evaluate Evaluator) (v verdict, to float64, err error) {
	sign := direction(o.Up)
	p := newPeak(o.from, over, evaluate)
	var masses []float64
	for range places {
		mass, end, err := p.find()
		switch {
		case err != nil || end == missed:
			return unknown, to, err
		case end == unresolved:
			return judged(masses), to, nil
		}
		masses, to = append(masses, mass), sign*p.at[o.Coordinate]
		if mass < slices.Max(masses)-fallen || to > o.out() && fallsAtEnd(masses, falls) {
			return falling, to, nil
		}
		if to >= math.Max(outermost, o.out())+steady {
			break
		}
		p.at[o.Coordinate] += sign
	}
	return judged(masses), to, nil
}

// judged returns the verdict after a complete walk.
func judged(masses []float64) verdict {
	switch {
	case len(masses) <= steady:
		return unknown
	case doNotFall(masses):
		return flat
	}
	return falling
}

// doNotFall reports whether none of the last masses is clearly below its predecessor.
func doNotFall(masses []float64) bool {
	for i := len(masses) - steady; i < len(masses); i++ {
		if masses[i] < masses[i-1]-leastFall {
			return false
		}
	}
	return true
}

// fallsAtEnd reports whether each of the last n masses is clearly below its predecessor.
func fallsAtEnd(masses []float64, n int) bool {
	for i := len(masses) - n; i < len(masses); i++ {
		if i < 1 || masses[i] >= masses[i-1]-leastFall {
			return false
		}
	}
	return true
}

const (
	newtonSteps = 20
	stepShare   = 0.1  // difference step as a share of a width: the same at all points, so that its errors cancel
	sameWidths  = 1.5  // maximum ratio of widths between consecutive steps when the peak is found
	atPeak      = 1e-5 // squared distance from the peak, in standard deviations, at which it counts as found
	halvings    = 8    // number of fractions of a step that are tried
	resolution  = 16   // minimum difference step, in units of the spacing of floating-point numbers
)

// An ending is the outcome of a search for a peak.
type ending int

const (
	missed     ending = iota // no peak was found
	reached                  // the peak was found
	unresolved               // widths are close to the spacing of floating-point numbers
)

// A peak searches for the highest point of a target along some coordinates, by Newton's method with differences of
// gradients.
type peak struct {
	over     []int
	at       []float64
	widths   []float64 // widths of the coordinates in over; difference steps are proportional to them
	found    Normal    // Laplace approximation at the peak, once it is found
	evaluate Evaluator
}

func newPeak(from []float64, over []int, evaluate Evaluator) *peak {
	p := &peak{over: over, at: slices.Clone(from), widths: make([]float64, len(over)), evaluate: evaluate}
	for k, j := range over {
		p.widths[k] = 1e-4 * (1 + math.Abs(from[j]))
	}
	return p
}

// find moves to the peak. mass is the log of the integral of the normal fitted there.
func (p *peak) find() (mass float64, end ending, err error) {
	if len(p.over) == 0 {
		density, _, err := p.evaluate([][]float64{p.at})
		if err != nil || !isFinite(density[0]) {
			return 0, missed, err
		}
		return density[0], reached, nil
	}
	for range newtonSteps {
		if !p.resolved() {
			return 0, unresolved, nil
		}
		here, err := p.look()
		if err != nil || !here.sound() {
			return 0, missed, err
		}
		n, curved := p.normal(here.precision)
		if settled := p.updateWidths(here.precision); curved && settled && n.StepFrom(here.gradient) < atPeak {
			p.found = n
			return here.density + n.LogVolume(), reached, nil
		}
		n, curved = p.damped(here.precision)
		if !curved {
			return 0, missed, nil
		}
		if err := p.climb(here.density, n.Point(n.whitenedStep(here.gradient))); err != nil {
			return 0, missed, err
		}
	}
	return 0, missed, nil
}

// resolved reports whether floating-point numbers are dense enough for differences over a share of the widths.
func (p *peak) resolved() bool {
	for k, j := range p.over {
		x := math.Abs(p.at[j])
		if stepShare*p.widths[k] < resolution*(math.Nextafter(x, math.Inf(1))-x) {
			return false
		}
	}
	return true
}

// A view holds the log density, gradient and precision of the target at a position.
type view struct {
	density   float64
	gradient  []float64
	precision *mat.SymDense
}

func (v view) sound() bool { return isFinite(v.density) && finite(v.gradient) }

// position returns p.at with the coordinates in over replaced by values.
func (p *peak) position(values []float64) []float64 {
	x := slices.Clone(p.at)
	for k, j := range p.over {
		x[j] = values[k]
	}
	return x
}

// selected returns the elements of x that belong to the coordinates in over.
func (p *peak) selected(x []float64) []float64 {
	out := make([]float64, len(p.over))
	for k, j := range p.over {
		out[k] = x[j]
	}
	return out
}

// look evaluates the target at p.at. Steps are rounded to the actual distance between the points; otherwise, at large
// coordinates, the curvature would be wrong by several per cent.
func (p *peak) look() (v view, err error) {
	steps := make([]float64, len(p.over))
	for k, j := range p.over {
		steps[k] = (p.at[j] + stepShare*p.widths[k]) - p.at[j]
	}
	v.density, v.gradient, v.precision, err = Curvature(p.at, p.over, steps, p.evaluate)
	return v, err
}

// updateWidths sets the widths from the precision. It reports whether they changed by less than the factor sameWidths.
func (p *peak) updateWidths(precision *mat.SymDense) bool {
	same := true
	for k, before := range p.widths {
		now := 1 / math.Sqrt(precision.At(k, k))
		if !(now > 0) || math.IsInf(now, 0) {
			return false
		}
		same = same && math.Abs(math.Log(now/before)) < math.Log(sameWidths)
		p.widths[k] = now
	}
	return same
}

func (p *peak) normal(precision *mat.SymDense) (Normal, bool) {
	return NormalAt(p.selected(p.at), precision)
}

// damped returns a normal for the precision plus the least multiple of its diagonal that makes Newton steps go uphill.
func (p *peak) damped(precision *mat.SymDense) (n Normal, ok bool) {
	for _, share := range []float64{0, .1, 1, 10, 100} {
		more := mat.NewSymDense(len(p.over), nil)
		more.CopySym(precision)
		for k := range p.over {
			more.SetSym(k, k, precision.At(k, k)+share*math.Abs(precision.At(k, k)))
		}
		if n, ok = p.normal(more); ok {
			break
		}
	}
	return n, ok
}

// climb moves p.at to the highest of several points on the line towards to.
func (p *peak) climb(density float64, to []float64) error {
	here := p.selected(p.at)
	var points [][]float64
	for k := range halvings {
		x := scaled(here, 1)
		add(x, difference(to, here), math.Pow(.5, float64(k)))
		points = append(points, p.position(x))
	}
	heights, _, err := p.evaluate(points)
	for k, h := range heights {
		if isFinite(h) && h > density {
			p.at, density = points[k], h
		}
	}
	return err
}

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
