package stdlib

import (
	"math"
	"math/rand/v2"
	"slices"

	ad "ppl/autodiff"
	"ppl/lang/types"
)

// Dists is the table of distributions by name; do not modify.
func Dists() map[string]*Dist { return distTable }

var distTable = indexDists(slices.Concat(realDists, positiveDists, boundedDists, countDists, finiteDists, vectorDists))

// indexDists puts the guards around the formulas of each row, and gives the line its ends.
func indexDists(rows []Dist) map[string]*Dist {
	table := make(map[string]*Dist, len(rows))
	for _, d := range rows {
		if d.Support == types.RealLine {
			d.Lo, d.Hi = -inf, inf
		}
		d.Forms = slices.Clone(d.Forms)
		for i := range d.Forms {
			guard(&d, &d.Forms[i])
		}
		table[d.Name] = &d
	}
	return table
}

// fill gives a log density that depends on no plate the shape of the plates.
func fill(logp Node, plates []int) Node {
	if logp.Rank() == len(plates) {
		return logp
	}
	return ad.Broadcast(logp, plates, nil)
}

type density = func(x Node, args []Node) Node

// guard makes parameters outside their domain NaN, which every formula passes on, and values outside the support of a scalar
// law −∞. A cumulative function is evaluated at the nearest point of the support.
func guard(d *Dist, f *Form) {
	raw, row, form := f.LogProb, *d, *f
	f.LogProb = func(x Node, args []Node) Node {
		a := inDomain(form.Args, args)
		return inSupport(&row, &form, x, a, raw(x, a))
	}
	if d.Event == 0 && d.Discrete() && f.LogCDF == nil {
		f.LogCDF, f.LogCCDF = summed(&row, &form)
	}
	if f.LogCDF != nil {
		f.LogCDF = clamped(&row, &form, f.LogCDF)
		f.LogCCDF = clamped(&row, &form, f.LogCCDF)
	}
}

func inDomain(spec []Arg, args []Node) []Node {
	out := make([]Node, len(args))
	for i, a := range args {
		out[i] = orNaN(a, spec[i].Domain)
	}
	return out
}

// orNaN is a, or NaN where it is outside its domain. Only ends are checked: simplices and matrices are left to the formulas.
func orNaN(a Node, d Domain) Node {
	if d.Kind != types.Interval && d.Kind != types.IntRange {
		return a
	}
	if !math.IsInf(d.Lo, -1) {
		a = ad.Where(atLeast(a, d.Lo), a, num(a, math.NaN()))
	}
	if !math.IsInf(d.Hi, 1) {
		a = ad.Where(ad.Le(a, num(a, d.Hi)), a, num(a, math.NaN()))
	}
	return a
}

func atLeast(a Node, lo float64) Node {
	if lo == tiny {
		return ad.Lt(num(a, 0), a)
	}
	return ad.Le(num(a, lo), a)
}

// ends are the bounds of the support as nodes, invalid where infinite.
func ends(d *Dist, f *Form, x Node, args []Node) (lo, hi Node) {
	if f.Bounds != nil {
		return f.Bounds(args)
	}
	return finite(x, d.Lo), finite(x, d.Hi)
}

func finite(x Node, v float64) Node {
	if math.IsInf(v, 0) {
		return Node{}
	}
	return num(x, v)
}

func bounded(d *Dist) bool {
	return d.Event == 0 && (d.Support == types.Interval || d.Support == types.IntRange)
}

func inSupport(d *Dist, f *Form, x Node, args []Node, logp Node) Node {
	if !bounded(d) {
		return logp
	}
	lo, hi := ends(d, f, x, args)
	if lo.Valid() {
		logp = exclude(ad.Lt(x, lo), logp)
	}
	if hi.Valid() {
		logp = exclude(ad.Lt(hi, x), logp)
	}
	return fill(logp, x.Shape())
}

// exclude is −∞ where the condition holds. Of data that hold it nowhere nothing is asked again.
func exclude(cond, logp Node) Node {
	if cond.Static() && !slices.Contains(ad.Eval(nil, cond)[0], 1) {
		return logp
	}
	return ad.Where(cond, num(logp, math.Inf(-1)), logp)
}

func clamped(d *Dist, f *Form, cdf density) density {
	return func(x Node, args []Node) Node {
		a := inDomain(f.Args, args)
		if d.Support == types.Interval {
			lo, hi := ends(d, f, x, a)
			x = clamp(x, lo, hi)
		}
		return cdf(x, a)
	}
}

func clamp(x, lo, hi Node) Node {
	if lo.Valid() {
		x = ad.Where(ad.Lt(x, lo), lo, x)
	}
	if hi.Valid() {
		x = ad.Where(ad.Lt(hi, x), hi, x)
	}
	return x
}

// Arguments by what they must be.

var (
	inf          = math.Inf(1)
	realDomain   = Domain{types.RealLine, -inf, inf}
	posDomain    = Domain{types.Interval, tiny, inf}
	nonnegDomain = Domain{types.Interval, 0, inf}
	unitDomain   = Domain{types.Interval, 0, 1}
	openUnit     = Domain{types.Interval, tiny, 1}
	intDomain    = Domain{types.IntRange, -inf, inf}
	countDomain  = Domain{types.IntRange, 0, inf}
)

func args(a ...Arg) []Arg                            { return a }
func real0(name string) Arg                          { return Arg{Name: name, Domain: realDomain} }
func positive(name string) Arg                       { return Arg{Name: name, Domain: posDomain} }
func nonneg(name string) Arg                         { return Arg{Name: name, Domain: nonnegDomain} }
func unit(name string) Arg                           { return Arg{Name: name, Domain: unitDomain} }
func count(name string) Arg                          { return Arg{Name: name, Domain: countDomain} }
func integer(name string) Arg                        { return Arg{Name: name, Domain: intDomain} }
func array(name string, rank int, d Domain) Arg      { return Arg{Name: name, Rank: rank, Domain: d} }
func ofKind(name string, rank int, k types.Kind) Arg { return array(name, rank, Domain{k, -inf, inf}) }

// scalar makes a sampler of a scalar law with scalar arguments.
func scalar(draw func(r *rand.Rand, a []float64) float64) func(*rand.Rand, [][]float64, []float64) {
	return func(r *rand.Rand, args [][]float64, out []float64) {
		a := make([]float64, len(args))
		for i := range args {
			a[i] = args[i][0]
		}
		out[0] = draw(r, a)
	}
}
