package adapt

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"ppl/posterior/stats"
)

// A SupportEnd is an end of the line along a bounded coordinate, near which walkers have been: an end of the support of
// a parameter. Whether the target has a finite integral there shows when the other coordinates are integrated out, by
// Laplace's approximation (Tierney and Kadane 1986), at each of several places further and further out:
//
//	y[n in 1..N] ~ Normal(m, s), all equal    height at the best m: s^−N, width of m: s, with ds = s d log s: s^(2−N)
//	  N = 1                                    falls off with s: the integral is finite
//	  N = 2, 3, …                              does not: the posterior is improper, whatever the density of s is at 0
//	b[i in 1..8] ~ Normal(m, s)                height s^−8, width of all b: s^8: falls off with s, though it is
//	                                           nowhere higher than at s = 0
//
// Some of the other coordinates may as well be held where they are: an infinite integral over the rest, for all that is
// near, is enough.
type SupportEnd struct {
	Coordinate int
	Up         bool
	from       []float64 // a position on the way there
	furthest   float64   // the coordinate of the walker that was furthest out
}

const (
	farOff    = 10.0 // e^−10 and e^10 are far from the scale that most is measured in,
	manyFold  = 5.0  // and so is e^5 from the median
	outermost = 20.0 // walks go at least there
	mostLooks = 3    // at each end of a coordinate, in all windows
	mostWide  = 100  // coordinates, of which a curvature is taken at every place
	firstFrom = 12.0 // from no further out than that
)

// Improper returns an end of a support near which walkers of a window were, and where the target has no finite
// integral; nil if there is none.
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

// A Look is what is known of an end: how often it was looked at, and to where the integral falls off, if it does.
type Look struct {
	Times int
	To    float64
	Falls bool
}

// out returns how far the walker was that was furthest out.
func (o SupportEnd) out() float64 { return direction(o.Up) * o.furthest }

// endOf returns an end of coordinate j, and whether walkers were near it.
func endOf(visited [][]float64, j int, up bool) (o SupportEnd, far bool) {
	sign := direction(up)
	out := make([]float64, len(visited)) // how far each position is towards the end
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

// direction is 1 upwards and −1 downwards.
func direction(up bool) float64 {
	if up {
		return 1
	}
	return -1
}

const (
	places    = 100   // with a distance of 1 between them, at most
	steady    = 8     // the last of them, at which the integral has not fallen
	leastFall = 0.001 // what its logarithm has to fall from one to the next
	fallen    = 20.0  // below the highest, nothing that comes after matters
	falls     = 3     // in a row, further out than walkers were
)

// A verdict is what a walk outwards shows.
type verdict int

const (
	unknown verdict = iota // the maximum over the other coordinates was not found somewhere on the way
	falling                // the integral is finite there
	flat                   // it does not fall off, to where numbers end or far beyond all walkers
)

// verdict returns what walks outwards show, and how far they went. Where the maximum over the other coordinates cannot
// be found, those that are bounded are held.
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

// walk takes the logarithm of the integral over some coordinates at places further and further out, until it has fallen
// forever, or far enough, or to where numbers end.
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

// judged returns the verdict where a walk is at its end.
func judged(masses []float64) verdict {
	switch {
	case len(masses) <= steady:
		return unknown
	case doNotFall(masses):
		return flat
	}
	return falling
}

// doNotFall reports whether none of the last masses is below the one before.
func doNotFall(masses []float64) bool {
	for i := len(masses) - steady; i < len(masses); i++ {
		if masses[i] < masses[i-1]-leastFall {
			return false
		}
	}
	return true
}

// fallsAtEnd reports whether each of the last n masses is below the one before.
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
	stepShare   = 0.1  // of a width: the error of differences is the same at all places, and so cancels
	sameWidths  = 1.5  // factor by which widths may change from one step to the next
	atPeak      = 1e-5 // the squared distance from the peak in standard deviations
	halvings    = 8    // of a step
	resolution  = 16   // of the distances between neighbouring numbers: differences over less say nothing
)

// An ending is how the search for a peak ended.
type ending int

const (
	missed     ending = iota
	reached           // it is at the peak
	unresolved        // widths are not much larger than the distances between numbers
)

// A peak is the highest point of a target along some coordinates, which Newton's method finds with differences of
// gradients.
type peak struct {
	over     []int
	at       []float64
	widths   []float64 // of the coordinates in over, by which differences are chosen
	found    Normal    // there, once it is found
	evaluate Evaluator
}

func newPeak(from []float64, over []int, evaluate Evaluator) *peak {
	p := &peak{over: over, at: slices.Clone(from), widths: make([]float64, len(over)), evaluate: evaluate}
	for k, j := range over {
		p.widths[k] = 1e-4 * (1 + math.Abs(from[j]))
	}
	return p
}

// find goes to the peak. The mass is the logarithm of the integral of the normal there.
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
		if settled := p.suit(here.precision); curved && settled && n.StepFrom(here.gradient) < atPeak {
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

// resolved reports whether numbers are close enough together for differences over a share of the widths.
func (p *peak) resolved() bool {
	for k, j := range p.over {
		x := math.Abs(p.at[j])
		if stepShare*p.widths[k] < resolution*(math.Nextafter(x, math.Inf(1))-x) {
			return false
		}
	}
	return true
}

// A view is what is known of the target at a position.
type view struct {
	density   float64
	gradient  []float64
	precision *mat.SymDense
}

func (v view) sound() bool { return isFinite(v.density) && finite(v.gradient) }

// position returns where the coordinates in over have other values.
func (p *peak) position(values []float64) []float64 {
	x := slices.Clone(p.at)
	for k, j := range p.over {
		x[j] = values[k]
	}
	return x
}

// of returns the elements of a vector that belong to the coordinates in over.
func (p *peak) of(x []float64) []float64 {
	out := make([]float64, len(p.over))
	for k, j := range p.over {
		out[k] = x[j]
	}
	return out
}

// look returns the target where the peak is sought now. Steps are rounded, so that points lie that far apart: near
// where numbers end, the error would be some hundredths of a curvature.
func (p *peak) look() (v view, err error) {
	steps := make([]float64, len(p.over))
	for k, j := range p.over {
		steps[k] = (p.at[j] + stepShare*p.widths[k]) - p.at[j]
	}
	v.density, v.gradient, v.precision, err = Curvature(p.at, p.over, steps, p.evaluate)
	return v, err
}

// suit takes widths from the precision, and reports whether they were about that before.
func (p *peak) suit(precision *mat.SymDense) bool {
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

func (p *peak) normal(precision *mat.SymDense) (Normal, bool) { return NormalAt(p.of(p.at), precision) }

// damped returns the normal with the least that has to be added to a precision for steps to go uphill.
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

// climb goes as far towards a position as is best.
func (p *peak) climb(density float64, to []float64) error {
	here := p.of(p.at)
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
