package symmetry

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"ppl/lang/types"
)

// A Reference is a position to which images are moved close, and the width of the density around it.
type Reference struct{ At, Scale []float64 }

// Empty reports whether the reference is not set.
func (r Reference) Empty() bool { return len(r.At) == 0 }

// NewReference returns the mean and the standard deviation of positions.
func NewReference(at [][]float64) Reference {
	r := Reference{make([]float64, len(at[0])), make([]float64, len(at[0]))}
	column := make([]float64, len(at))
	for j := range r.At {
		for i, x := range at {
			column[i] = x[j]
		}
		r.At[j], r.Scale[j] = stat.MeanStdDev(column, nil)
	}
	return r
}

// FirstReference returns a reference at a position if the width is unknown. It uses the differences between labels as
// width.
func (g *Group) FirstReference(at []float64) Reference {
	full := g.extended(at)
	scale := slices.Repeat([]float64{1}, len(full))
	for _, s := range g.Of {
		if s.Kind != types.Labels {
			continue
		}
		for i := range s.Sets[0] {
			var values []float64
			for _, set := range s.Sets {
				values = append(values, full[set[i]])
			}
			for _, set := range s.Sets {
				scale[set[i]] = stat.StdDev(values, nil)
			}
		}
	}
	return Reference{slices.Clone(at), scale[:g.Dim]}
}

// tilt is the approximate angle, in radians, by which images under rotations are randomly rotated away from the nearest
// one. Without it, positions would have no width along the directions of rotation, and no metric could be learned from
// them.
const tilt = 0.1

// Comparable reports whether the images nearest to a reference can be compared. With too few rotating vectors, all
// positions would be rotated onto the reference itself.
func (g *Group) Comparable() bool { return slices.ContainsFunc(g.Of, isComparable) }

// isComparable reports whether the images nearest to a reference can be compared, for one symmetry.
func isComparable(s types.Symmetry) bool {
	return s.Kind != types.Rotations || len(s.Sets[0]) >= 2*len(s.Sets)
}

// Rotates reports whether positions are compared by rotating them close to a reference.
func (g *Group) Rotates() bool {
	return slices.ContainsFunc(g.Of, func(s types.Symmetry) bool {
		return s.Kind == types.Rotations && isComparable(s)
	})
}

// Even sets the scales of coordinates that rotate into each other to their root mean square. Walkers rotate during
// sampling, and such scales suit every rotation.
func (g *Group) Even(scale []float64) {
	for _, s := range g.Of {
		if s.Kind != types.Rotations || !isComparable(s) {
			continue
		}
		for i := range s.Sets[0] {
			square := 0.0
			for _, set := range s.Sets {
				square += scale[set[i]] * scale[set[i]] / float64(len(s.Sets))
			}
			for _, set := range s.Sets {
				scale[set[i]] = math.Sqrt(square)
			}
		}
	}
}

// Nearest returns the image of a position that is nearest to a reference, apart from a small random rotation.
// Coordinates whose images are not comparable do not change. If the position is its own nearest image, Nearest returns
// x itself.
func (g *Group) Nearest(x []float64, ref Reference, r *rand.Rand) []float64 {
	if !allFinite(x) {
		return x
	}
	out, to := g.extended(x), g.extended(ref.At)
	changed := g.settle(out, to, g.weights(ref))
	for _, s := range g.Of {
		if s.Kind == types.Rotations && isComparable(s) {
			rotate(out, s.Sets, rotationTo(out, to, s.Sets, r))
			changed = true
		}
	}
	if !changed {
		return x
	}
	return g.position(out)
}

// Inside reports whether a position is its own nearest image, ignoring rotations. It is true for positions that are not
// finite. If Divides is true, exactly one image of each finite position is inside.
func (g *Group) Inside(x []float64, ref Reference) bool {
	return !allFinite(x) || !g.settle(g.extended(x), g.extended(ref.At), g.weights(ref))
}

// Divides reports whether it is known that exactly one image of each position is inside.
func (g *Group) Divides() bool { return g.divides }

// dividesSpace computes Divides. It is true if no coordinate belongs to several label symmetries or to several sign
// symmetries, which Nearest treats one after the other, and if Nearest tries all combinations of signs across labels.
func (g *Group) dividesSpace() bool {
	var labels [][]int
	for _, s := range g.Of {
		if s.Kind == types.Labels {
			labels = append(append(labels, s.Sets...), s.Flips)
		}
	}
	return disjoint(labels) && disjoint(g.within) && len(g.across) <= mostAcross
}

func disjoint(sets [][]int) bool {
	all := slices.Concat(sets...)
	slices.Sort(all)
	return len(slices.Compact(all)) == len(slices.Concat(sets...))
}

// mostAcross is the maximum number of the sets in Group.across for which all combinations of signs are tried. It bounds
// the work, which doubles with each set.
const mostAcross = 4

// settle changes labels and signs such that the distance to the reference is minimal.
func (g *Group) settle(x, to, weight []float64) (changed bool) {
	across := g.across[:min(len(g.across), mostAcross)]
	best, at, was := math.Inf(1), slices.Clone(x), slices.Clone(x)
	for signs := range 1 << len(across) {
		image := slices.Clone(was)
		for k, set := range across {
			if signs>>k&1 == 1 {
				negate(image, set)
			}
		}
		g.settleLabels(image, to, weight)
		if d := far(image, to, weight); d < best {
			best, at = d, image
		}
	}
	copy(x, at)
	return !slices.Equal(x, was)
}

// settleLabels is settle without sign changes across labels.
func (g *Group) settleLabels(x, to, weight []float64) {
	for k := range g.Of {
		if s := &g.Of[k]; s.Kind == types.Labels {
			g.relabel(x, to, weight, s)
		}
	}
	for _, set := range g.within {
		if product(x, to, weight, set) < 0 {
			negate(x, set)
		}
	}
}

// sortSigns sets across and within.
func (g *Group) sortSigns() {
	label := g.labels()
	for _, s := range g.Of {
		if s.Kind != types.Signs {
			continue
		}
		for _, set := range s.Sets {
			if slices.ContainsFunc(set, func(i int) bool { return label[i] != label[set[0]] }) {
				g.across = append(g.across, set)
			} else {
				g.within = append(g.within, set)
			}
		}
	}
}

// labels returns the number of the label of each coordinate, or −1.
func (g *Group) labels() []int {
	label, n := slices.Repeat([]int{-1}, len(g.signOf)), 0
	for _, s := range g.Of {
		if s.Kind == types.Labels {
			for _, set := range s.Sets {
				for _, i := range set {
					label[i] = n
				}
				n++
			}
		}
	}
	return label
}

// weights returns 1/variance for each coordinate. It is 1 for logarithms of simplices and for coordinates without
// variance, and 0 for coordinates that these logarithms replace.
func (g *Group) weights(ref Reference) []float64 {
	weight := slices.Repeat([]float64{1}, len(g.signOf))
	for i, s := range ref.Scale {
		if s > 0 && !math.IsInf(s, 0) {
			weight[i] = 1 / (s * s)
		}
	}
	for _, p := range g.Simplices {
		clear(weight[p.First : p.First+p.K-1])
	}
	return weight
}

func far(x, y, weight []float64) (sum float64) {
	for i, w := range weight {
		sum += w * (x[i] - y[i]) * (x[i] - y[i])
	}
	return sum
}

func product(x, y, weight []float64, set []int) (sum float64) {
	for _, i := range set {
		sum += weight[i] * x[i] * y[i]
	}
	return sum
}

// relabel exchanges labels such that the distance to the reference is minimal.
func (g *Group) relabel(x, to, weight []float64, s *types.Symmetry) {
	cost := make([][]float64, len(s.Sets)) // cost[k][j]: distance if label j's coordinates are at label k's place
	for k := range cost {
		for j := range s.Sets {
			cost[k] = append(cost[k], g.distance(x, to, weight, s.Sets[j], s.Sets[k]))
		}
	}
	if len(s.Flips) > 0 {
		cost[0][1] += 4 * product(x, to, weight, s.Flips)
	}
	exchange(x, s, assignment(cost))
}

// distance returns the squared distance of one label's coordinates from the reference's of another, minimised over the
// signs that may change.
func (g *Group) distance(x, to, weight []float64, of, at []int) (sum float64) {
	var sets []int
	var products []float64 // one for each set of coordinates that change sign together
	for i, j := range of {
		k, set := at[i], g.signOf[j]
		sum += weight[k] * (x[j]*x[j] + to[k]*to[k])
		if set < 0 {
			sum -= 2 * weight[k] * x[j] * to[k]
			continue
		}
		part := slices.Index(sets, set)
		if part < 0 {
			part, sets, products = len(sets), append(sets, set), append(products, 0)
		}
		products[part] += weight[k] * x[j] * to[k]
	}
	for _, p := range products {
		sum -= 2 * math.Abs(p)
	}
	return sum
}

// rotationTo returns the rotation that moves the vectors of sets closest to those of a reference, tilted at random:
// U·Vᵀ of the singular value decomposition of the sum of their outer products.
func rotationTo(x, to []float64, sets [][]int, r *rand.Rand) *mat.Dense {
	n := len(sets)
	outer := mat.NewDense(n, n, nil)
	for i := range sets[0] {
		for k := range n {
			for l := range n {
				outer.Set(k, l, outer.At(k, l)+to[sets[k][i]]*x[sets[l][i]])
			}
		}
	}
	var svd mat.SVD
	if !svd.Factorize(outer, mat.SVDFull) {
		return randomRotation(n, r)
	}
	var u, v, nearest, tilted mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	nearest.Mul(&u, v.T())
	tilted.Mul(orthogonal(n, func(i, j int) float64 {
		if i == j {
			return 1
		}
		return tilt * r.NormFloat64()
	}), &nearest)
	return &tilted
}
