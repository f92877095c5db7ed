package stdlib

import (
	"fmt"
	"math"
	"math/rand/v2"

	ad "ppl/autodiff"
	"ppl/lang/types"
)

// A Part is one component of a compound distribution: a distribution of one number with one of its parametrisations.
type Part struct {
	Dist *Dist
	Form *Form
}

// Mixture returns the distribution that draws from each part with probability equal to its weight. Its arguments are
// the weights, then the arguments of the parts in order. The weights are a simplex; or, if single is true and there are
// two parts, one number, the probability of the first part.
//
// Parts must be all counts or all continuous; otherwise the error says why they cannot be mixed.
func Mixture(parts []Part, single bool) (*Dist, *Form, error) {
	if err := mixable(parts); err != nil {
		return nil, nil, err
	}
	weights := Arg{Name: "weights", Rank: 1, Size: len(parts), Domain: Domain{types.Simplex, -inf, inf}}
	if single {
		weights = unit("weight")
	}
	m := mixture{parts: parts, single: single}
	d, f := m.row("Mixture"), &Form{Args: append(args(weights), m.args()...), LogProb: m.logProb, Sample: m.sample,
		Mean: m.mean()}
	if m.cumulative() {
		f.LogCDF = func(x Node, a []Node) Node { return m.sum(a, m.each(x, a, cdfOf)) }
		f.LogCCDF = func(x Node, a []Node) Node { return m.sum(a, m.each(x, a, ccdfOf)) }
	}
	return m.finish(d, f)
}

// ZeroInflated returns the distribution that is 0 with a given probability, its first argument, and otherwise a draw
// from the part, which may be 0 too if it is a count. For a continuous part, which is never 0, this is Hurdle.
func ZeroInflated(part Part) (*Dist, *Form, error) {
	if err := mixable([]Part{part}); err != nil {
		return nil, nil, err
	}
	if !part.Dist.Discrete() {
		return named("ZeroInflated")(Hurdle(part))
	}
	return named("ZeroInflated")(Mixture([]Part{{&zeroDist, &zeroDist.Forms[0]}, part}, true))
}

// Hurdle returns the distribution that is 0 with a given probability, its first argument, and otherwise a draw from the
// part given that it is not 0.
func Hurdle(part Part) (*Dist, *Form, error) {
	if err := mixable([]Part{part}); err != nil {
		return nil, nil, err
	}
	m := mixture{parts: []Part{{&zeroDist, &zeroDist.Forms[0]}, part}, single: true}
	d, f := m.row("Hurdle"), &Form{Args: append(args(unit("zero")), m.args()...)}
	others := func(a []Node) Node { return notZero(part, a[1:]) }
	f.LogProb = func(x Node, a []Node) Node {
		none := ad.Eq(x, num(x, 0))
		away := ad.Where(none, num(x, 1), x)
		rest := ad.Sub(ad.Add(log1m(a[0]), part.Form.LogProb(away, a[1:])), others(a))
		return ad.Where(none, ad.Log(a[0]), rest)
	}
	f.Sample = func(r *rand.Rand, a [][]float64, out []float64) {
		out[0] = 0
		if r.Float64() >= a[0][0] {
			drawAwayFromZero(r, part, a[1:], out)
		}
	}
	f.Mean = hurdleMean(part)
	if m.cumulative() && (part.Dist.Lo >= 0 || !part.Dist.Discrete()) {
		f.LogCDF = func(x Node, a []Node) Node {
			tails := m.each(x, a, cdfOf)
			if part.Dist.Discrete() { // P(0 < X ≤ x) excludes 0
				tails[1] = ad.Where(ad.Lt(x, num(x, 1)), num(x, -inf), logLess(ccdfOf(part, num(x, 0), a[1:]),
					ccdfOf(part, x, a[1:])))
			}
			tails[1] = ad.Sub(tails[1], others(a))
			return m.sum(a, tails)
		}
		f.LogCCDF = func(x Node, a []Node) Node {
			tails := m.each(x, a, ccdfOf)
			if part.Dist.Discrete() {
				tails[1] = ccdfOf(part, ad.Maximum(x, num(x, 0)), a[1:])
			}
			tails[1] = ad.Sub(tails[1], others(a))
			return m.sum(a, tails)
		}
	}
	return m.finish(d, f)
}

// notZero returns log P(X ≠ 0) of a part, which is 0 for a continuous part.
func notZero(p Part, a []Node) Node {
	g := a[0].Graph()
	zero := g.Const(0)
	switch {
	case !p.Dist.Discrete():
		return zero
	case p.Dist.Lo == 0 && p.Form.LogCCDF != nil:
		if above := p.Form.LogCCDF(zero, a); above.Valid() {
			return above
		}
	}
	return log1mexp(p.Form.LogProb(zero, a))
}

// tries is the number of draws equal to 0 after which drawAwayFromZero returns NaN.
const tries = 1 << 20

func drawAwayFromZero(r *rand.Rand, p Part, a [][]float64, out []float64) {
	for range tries {
		p.Form.Sample(r, a, out)
		if out[0] != 0 {
			return
		}
	}
	out[0] = math.NaN()
}

// named returns a function that sets the name under which models write a compound distribution.
func named(name string) func(*Dist, *Form, error) (*Dist, *Form, error) {
	return func(d *Dist, f *Form, err error) (*Dist, *Form, error) {
		if err == nil {
			d.Name = name
		}
		return d, f, err
	}
}

// zeroDist is the distribution that is always 0.
var zeroDist = Dist{Name: "Zero", Support: types.IntRange, Lo: 0, Hi: 0,
	Enumerate: func([]Node) (first, n int, ok bool) { return 0, 1, true },
	Forms: []Form{{
		LogProb: func(x Node, _ []Node) Node { return penaltyUnless(ad.Eq(x, num(x, 0))) },
		LogCDF:  func(x Node, _ []Node) Node { return penaltyUnless(ad.Le(num(x, 0), x)) },
		LogCCDF: func(x Node, _ []Node) Node { return penaltyUnless(ad.Lt(x, num(x, 0))) },
		Sample:  func(_ *rand.Rand, _ [][]float64, out []float64) { out[0] = 0 },
		Mean:    func(_ [][]float64, out []float64) { out[0] = 0 },
	}}}

// mixable returns an error that says why parts cannot be mixed, or nil.
func mixable(parts []Part) error {
	for _, p := range parts {
		switch {
		case p.Dist.Event > 0:
			return fmt.Errorf("%s is not a distribution of one number, and cannot be part of a mixture", p.Dist.Name)
		case p.Dist.Improper || p.Form.Sample == nil:
			return fmt.Errorf("%s is improper and cannot be part of a mixture", p.Dist.Name)
		case p.Dist.Discrete() != parts[0].Dist.Discrete():
			counts, other := parts[0].Dist.Name, p.Dist.Name
			if p.Dist.Discrete() {
				counts, other = other, counts
			}
			return fmt.Errorf("%s draws integers and %s does not; use Hurdle for a continuous outcome that may be 0",
				counts, other)
		}
	}
	return nil
}

// A mixture combines parts. Its first argument is their weights; single reports whether this is one number, the weight
// of the first of two parts.
type mixture struct {
	parts  []Part
	single bool
}

// args returns the arguments of all parts, without the weights.
func (m mixture) args() (all []Arg) {
	for _, p := range m.parts {
		all = append(all, p.Form.Args...)
	}
	return all
}

// of selects the arguments of part k from all arguments of the mixture.
func of[T any](m mixture, all []T, k int) []T {
	first := 1
	for _, p := range m.parts[:k] {
		first += len(p.Form.Args)
	}
	return all[first : first+len(m.parts[k].Form.Args)]
}

// row returns the table row of the mixture. Its support is the smallest interval that contains the supports of the
// parts.
func (m mixture) row(name string) *Dist {
	last := m.parts[len(m.parts)-1].Dist
	d := &Dist{Name: name, Support: last.Support, Lo: inf, Hi: -inf,
		Doc: "a compound of distributions", Source: "McLachlan & Peel 2000, Finite Mixture Models, section 1.4"}
	for _, p := range m.parts {
		d.Lo, d.Hi = math.Min(d.Lo, p.Dist.Lo), math.Max(d.Hi, p.Dist.Hi)
		if p.Dist.Support == types.RealLine {
			d.Support = types.RealLine
		}
	}
	if d.Discrete() {
		d.Enumerate = m.enumerate()
	}
	return d
}

// enumerate returns a function that enumerates the union of the parts' finite supports, or nil if one of them is
// infinite.
func (m mixture) enumerate() func([]Node) (first, n int, ok bool) {
	for _, p := range m.parts {
		if p.Dist.Enumerate == nil {
			return nil
		}
	}
	return func(a []Node) (first, n int, ok bool) {
		end := math.MinInt
		first = math.MaxInt
		for k, p := range m.parts {
			f, n, ok := p.Dist.Enumerate(of(m, a, k))
			if !ok {
				return 0, 0, false
			}
			first, end = min(first, f), max(end, f+n)
		}
		return first, end - first, true
	}
}

// finish adds bounds and guards to the formulas, and returns the finished distribution with its only form.
func (m mixture) finish(d *Dist, f *Form) (*Dist, *Form, error) {
	for _, p := range m.parts {
		if p.Form.Bounds != nil {
			f.Bounds = m.bounds
		}
	}
	guard(d, f)
	d.Forms = []Form{*f}
	return d, &d.Forms[0], nil
}

// bounds returns the ends of the support, if those of a part depend on its arguments.
func (m mixture) bounds(a []Node) (lo, hi Node) {
	for k, p := range m.parts {
		l, h := finite(a[0], p.Dist.Lo), finite(a[0], p.Dist.Hi)
		if p.Form.Bounds != nil {
			l, h = p.Form.Bounds(of(m, a, k))
		}
		if k == 0 {
			lo, hi = l, h
			continue
		}
		lo, hi = outer(lo, l, ad.Minimum), outer(hi, h, ad.Maximum)
	}
	return lo, hi
}

func outer(a, b Node, choose func(x, y Node) Node) Node {
	if !a.Valid() || !b.Valid() {
		return Node{}
	}
	return choose(a, b)
}

func (m mixture) cumulative() bool {
	for _, p := range m.parts {
		if p.Form.LogCDF == nil || p.Form.LogCCDF == nil {
			return false
		}
	}
	return true
}

func cdfOf(p Part, x Node, a []Node) Node     { return p.Form.LogCDF(x, a) }
func ccdfOf(p Part, x Node, a []Node) Node    { return p.Form.LogCCDF(x, a) }
func logProbOf(p Part, x Node, a []Node) Node { return p.Form.LogProb(x, a) }

// each evaluates f for every part.
func (m mixture) each(x Node, a []Node, f func(p Part, x Node, a []Node) Node) []Node {
	out := make([]Node, len(m.parts))
	for k, p := range m.parts {
		out[k] = f(p, x, of(m, a, k))
	}
	return out
}

func (m mixture) logProb(x Node, a []Node) Node { return m.sum(a, m.each(x, a, logProbOf)) }

// sum returns log Σ w_k exp(logs_k), or an invalid Node if one of logs is invalid.
func (m mixture) sum(a []Node, logs []Node) (all Node) {
	for k, x := range logs {
		if !x.Valid() {
			return Node{}
		}
		x = ad.Add(m.logWeight(a[0], k), x)
		if k == 0 {
			all = x
			continue
		}
		all = logAddExp(all, x)
	}
	return all
}

// logWeight returns the log of the weight of part k.
func (m mixture) logWeight(w Node, k int) Node {
	switch {
	case !m.single:
		return ad.Log(ad.Reshape(sliceLast(w, k, k+1), plates(w, 1)...))
	case k == 0:
		return ad.Log(w)
	}
	return log1m(w)
}

func (m mixture) sample(r *rand.Rand, a [][]float64, out []float64) {
	k := 0
	switch {
	case !m.single:
		k = drawIndex(r, a[0])
	case r.Float64() >= a[0][0]:
		k = 1
	}
	m.parts[k].Form.Sample(r, of(m, a, k), out)
}
