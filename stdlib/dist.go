package stdlib

import (
	"math"
	"math/rand/v2"
	"slices"

	"ppl/lang/types"
)

// Dists returns the table of distributions by name. The caller must not modify it.
func Dists() map[string]*Dist { return distTable }

var distTable = indexDists(slices.Concat(realDists, skewedDists, positiveDists, lifetimeDists, extremeDists,
	passageDists, boundedDists, circularDists, countDists, mixedDists, finiteDists, vectorDists, spatialDists,
	matrixDists))

// indexDists makes the table by name. It adds guards and means to the forms of each row, and sets infinite ends for
// distributions on the real line.
func indexDists(rows []Dist) map[string]*Dist {
	table, means := make(map[string]*Dist, len(rows)), expectations{scalarMeans(), vectorMeans(), shares()}
	for _, d := range rows {
		if d.Support == types.RealLine {
			d.Lo, d.Hi = -inf, inf
		}
		d.Forms = slices.Clone(d.Forms)
		means.addTo(&d)
		for i := range d.Forms {
			guard(&d, &d.Forms[i])
		}
		if table[d.Name] != nil {
			panic("two rows of the name " + d.Name)
		}
		table[d.Name] = &d
	}
	return table
}

// These are the domains of arguments.

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

// scalar converts a function that draws one number from scalar arguments to a Sample function.
func scalar(draw func(r *rand.Rand, a []float64) float64) func(*rand.Rand, [][]float64, []float64) {
	return func(r *rand.Rand, args [][]float64, out []float64) {
		out[0] = draw(r, firsts(args))
	}
}
