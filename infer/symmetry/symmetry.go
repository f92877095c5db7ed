// Package symmetry applies the symmetries of a density to positions. Every image of a position has the same density:
//
//	m[k in 1..2] ~ Normal(0, 10), equal components    images of (-3, 4): (-3, 4) and (4, -3)
//
//	g := symmetry.New(target.Symmetries())
//	draw = g.Random(x, random)       // an image at random: where x is from the density, so is the image
//	x = g.Nearest(x, reference, r)   // the image nearest to a reference: of walkers, to compare them
//
// Images at random make labels switch in the draws however far modes are apart; where walkers are compared, what
// belongs to one mode is together (Stephens 2000, "Dealing with label switching in mixture models", JRSS B 62; for
// rotations, Schönemann's orthogonal Procrustes problem, Psychometrika 31, 1966).
package symmetry

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"ppl/lang/types"
	"ppl/stdlib"
)

// A Group is all changes that are made of those of a density's symmetries.
type Group struct {
	types.Symmetries
	divides        bool
	across, within [][]int // sets of signs with coordinates of several labels, and of one or none
	signOf         []int   // by coordinate: the number of its set in within; −1: none
}

// New returns nil if there are no symmetries.
func New(s types.Symmetries) *Group {
	if len(s.Of) == 0 {
		return nil
	}
	g, n := &Group{Symmetries: s}, s.Dim
	for _, p := range s.Simplices {
		n = max(n, p.Logs+p.K)
	}
	g.signOf = slices.Repeat([]int{-1}, n)
	g.sortSigns()
	g.divides = g.dividesSpace()
	for k, set := range g.within {
		for _, i := range set {
			g.signOf[i] = k
		}
	}
	return g
}

// Finite returns the group without rotations; nil if it does not divide the positions into parts with one image of
// each.
func (g *Group) Finite() *Group {
	if g == nil {
		return nil
	}
	of := g.Symmetries
	of.Of = nil
	for _, s := range g.Of {
		if s.Kind != types.Rotations {
			of.Of = append(of.Of, s)
		}
	}
	if finite := New(of); finite != nil && finite.divides {
		return finite
	}
	return nil
}

// LogImages returns the logarithm of how many images a position has.
func (g *Group) LogImages() float64 {
	log := 0.0
	for _, s := range g.Of {
		if s.Kind == types.Labels {
			orders, _ := math.Lgamma(float64(len(s.Sets) + 1))
			log += orders
		}
	}
	return log + math.Ln2*float64(independent(slices.Concat(g.within, g.across)))
}

// independent returns how many of some sets are not symmetric differences of others.
func independent(sets [][]int) (rank int) {
	basis := map[int]*big.Int{} // by the highest coordinate
	for _, set := range sets {
		x := new(big.Int)
		for _, i := range set {
			x.SetBit(x, i, 1)
		}
		for x.BitLen() > 0 && basis[x.BitLen()] != nil {
			x.Xor(x, basis[x.BitLen()])
		}
		if x.BitLen() > 0 {
			basis[x.BitLen()] = x
			rank++
		}
	}
	return rank
}

// extended returns a position with the logarithms of its simplices.
func (g *Group) extended(x []float64) []float64 {
	out := slices.Clone(x)
	for _, p := range g.Simplices {
		out = append(out, stdlib.FromHelmert(x[p.First:p.First+p.K-1])...)
	}
	return out
}

// position is that of extended coordinates.
func (g *Group) position(x []float64) []float64 {
	for _, p := range g.Simplices {
		copy(x[p.First:], stdlib.Helmert(x[p.Logs:p.Logs+p.K]))
	}
	return x[:g.Dim]
}

// Random returns an image at random, each as probable as any other.
func (g *Group) Random(x []float64, r *rand.Rand) []float64 {
	out := g.extended(x)
	for _, s := range g.Of {
		switch s.Kind {
		case types.Labels:
			exchange(out, &s, r.Perm(len(s.Sets)))
		case types.Signs:
			for _, set := range s.Sets {
				if r.Uint64()&1 == 1 {
					negate(out, set)
				}
			}
		case types.Rotations:
			rotate(out, s.Sets, randomRotation(len(s.Sets), r))
		}
	}
	return g.position(out)
}

// exchange gives each label the coordinates of another; from says whose.
func exchange(x []float64, s *types.Symmetry, from []int) {
	for i := range s.Sets[0] {
		old := make([]float64, len(s.Sets))
		for k, set := range s.Sets {
			old[k] = x[set[i]]
		}
		for k, set := range s.Sets {
			x[set[i]] = old[from[k]]
		}
	}
	if len(s.Flips) > 0 && from[0] == 1 {
		negate(x, s.Flips)
	}
}

func negate(x []float64, set []int) {
	for _, i := range set {
		x[i] = -x[i]
	}
}

// rotate multiplies the vectors of each i-th coordinate of all sets by a matrix.
func rotate(x []float64, sets [][]int, by *mat.Dense) {
	vector := mat.NewVecDense(len(sets), nil)
	for i := range sets[0] {
		for k, set := range sets {
			vector.SetVec(k, x[set[i]])
		}
		var to mat.VecDense
		to.MulVec(by, vector)
		for k, set := range sets {
			x[set[i]] = to.AtVec(k)
		}
	}
}

// randomRotation is uniform on the orthogonal matrices: Q of a matrix of normals, where R has a positive diagonal
// (Stewart 1980, SIAM Journal on Numerical Analysis 17).
func randomRotation(n int, r *rand.Rand) *mat.Dense {
	return orthogonal(n, func(int, int) float64 { return r.NormFloat64() })
}

// orthogonal is Q of a matrix of these elements, where R has a positive diagonal.
func orthogonal(n int, element func(i, j int) float64) *mat.Dense {
	a := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			a.Set(i, j, element(i, j))
		}
	}
	var qr mat.QR
	var q, upper mat.Dense
	qr.Factorize(a)
	qr.QTo(&q)
	qr.RTo(&upper)
	for j := range n {
		if upper.At(j, j) < 0 {
			for i := range n {
				q.Set(i, j, -q.At(i, j))
			}
		}
	}
	return &q
}

// allFinite reports whether all numbers are.
func allFinite(x []float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}
