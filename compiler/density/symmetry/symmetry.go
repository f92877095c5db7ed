// Package symmetry finds changes of a model's coordinates that leave its density unchanged. Candidates are derived from
// the layout of the parameters, and each is tested by arithmetic modulo a prime (package modular):
//
//	load[M, K], f[N, K] ~ Normal(0, 1)
//	y[i in N, j in M] ~ Normal(sum(k in K: load[j, k] * f[i, k]), s)
//
// The K columns of load and f are a family. Rotating both leaves the sums of products and of squares unchanged, so the
// family can rotate. If each column has a separate scale, columns can only change sign, or be permuted together with
// their scales.
package symmetry

import (
	"math/rand/v2"
	"slices"

	"ppl/autodiff/modular"
	"ppl/lang/types"
)

// A family is a list of arrays with coordinates for each of several labels.
type family struct {
	labels  int
	members []member
	scalars []member // parameters of one coordinate in an interval, which may change sign when two labels are exchanged
}

// A member has the same number of coordinates for each label, in the same order.
type member struct {
	name string
	at   [][]int // coordinates of each label
	real bool    // coordinates are values, or relative to location and scale
}

const (
	mostMembers = 6   // largest number of members of a family
	mostLabels  = 16  // largest number of labels of a family
	mostNumbers = 2e7 // limit on the numbers that all tests compute together, except that
	fewTests    = 24  // at least this number of tests is made
)

// A search tests candidates.
type search struct {
	density func(at []modular.Residue) ([2]modular.Residue, bool) // log prior with log-Jacobian, log likelihood
	at      []modular.Residue                                     // a random point
	here    [2]modular.Residue                                    // the density there
	random  *rand.Rand
	left    float64 // remaining number of tests
	found   []types.Symmetry
}

// newSearch returns ok = false if the density cannot be evaluated.
func newSearch(coordinates int, tests float64, density func([]modular.Residue) ([2]modular.Residue, bool)) (*search,
	bool) {
	s := &search{density: density, left: tests, random: rand.New(rand.NewPCG(0x5e71e5, 7))}
	for range coordinates {
		s.at = append(s.at, s.number())
	}
	var ok bool
	s.here, ok = density(s.at)
	return s, ok
}

func (s *search) number() modular.Residue { return modular.Residue(s.random.Uint64N(modular.Prime)) }

// same reports whether a change of the random point leaves the density unchanged.
func (s *search) same(change func(at []modular.Residue)) bool {
	s.left--
	if s.left < 0 {
		return false
	}
	at := slices.Clone(s.at)
	change(at)
	there, ok := s.density(at)
	return ok && there == s.here
}

// family finds the symmetries of a family. Rotations are tested first, since they include signs and labels.
func (s *search) family(f family) {
	f.members = slices.DeleteFunc(f.members, s.moves)
	if len(f.members) > mostMembers {
		return
	}
	rest := s.partsOf(f.labels, f.members, types.Rotations)
	s.partsOf(f.labels, rest, types.Signs)
	found := len(s.found)
	s.partsOf(f.labels, rest, types.Labels)
	if f.labels == 2 && found == len(s.found) && len(rest) > 0 {
		s.exchangeWith(rest, f.scalars)
	}
}

// moves reports whether a symmetry that was found already permutes or rotates the labels of a member.
func (s *search) moves(m member) bool {
	return slices.ContainsFunc(s.found, func(f types.Symmetry) bool {
		return f.Kind != types.Signs && slices.ContainsFunc(f.Sets, func(set []int) bool {
			return slices.Contains(set, m.at[0][0]) && !slices.Contains(set, m.at[1][0])
		})
	})
}

// partsOf finds the smallest sets of members that have a symmetry; each member is in at most one of them. It returns
// the other members.
func (s *search) partsOf(labels int, members []member, kind types.SymmetryKind) (rest []member) {
	rest = members
	for size := 1; size <= len(rest); {
		part := s.firstPart(labels, rest, size, kind)
		if part == nil {
			size++
			continue
		}
		if sym := symmetryOf(labels, chosen(rest, part), kind); !s.known(sym) {
			s.found = append(s.found, sym)
		}
		rest = others(rest, part)
	}
	return rest
}

// firstPart returns the first set of `size` members that has a symmetry; nil if there is none. Only real members can
// rotate or change sign.
func (s *search) firstPart(labels int, members []member, size int, kind types.SymmetryKind) []int {
	for _, part := range subsets(len(members), size) {
		of := chosen(members, part)
		may := kind == types.Labels || !slices.ContainsFunc(of, func(m member) bool { return !m.real })
		if may && s.has(labels, of, kind) {
			return part
		}
	}
	return nil
}

// known reports whether a symmetry was found already.
func (s *search) known(sym types.Symmetry) bool {
	return slices.ContainsFunc(s.found, func(f types.Symmetry) bool {
		return f.Kind == sym.Kind && slices.EqualFunc(f.Sets, sym.Sets, slices.Equal[[]int])
	})
}

// has reports whether members have a symmetry. Testing neighbouring labels suffices, since these changes generate all
// others.
func (s *search) has(labels int, of []member, kind types.SymmetryKind) bool {
	for k := range labels {
		one := setOf(of, k)
		if kind == types.Signs {
			if !s.same(func(at []modular.Residue) { negate(at, one) }) {
				return false
			}
			continue
		}
		if k == 0 {
			continue
		}
		other := setOf(of, k-1)
		change := func(at []modular.Residue) { exchange(at, one, other) }
		if kind == types.Rotations {
			cos, sin := s.angle()
			change = func(at []modular.Residue) { rotate(at, one, other, cos, sin) }
		}
		if !s.same(change) {
			return false
		}
	}
	return true
}

// angle returns a random rotation: (1 − t²)/(1 + t²) and 2t/(1 + t²).
func (s *search) angle() (cos, sin modular.Residue) {
	t := s.number()
	square := t.Times(t)
	over := square.Plus(1).Inverse()
	return modular.Residue(1).Minus(square).Times(over), t.Plus(t).Times(over)
}

// exchangeWith tests whether two labels can be exchanged if a scalar changes sign, such as logit w of weights w, 1 − w.
func (s *search) exchangeWith(members, scalars []member) {
	one, other := setOf(members, 0), setOf(members, 1)
	for _, x := range scalars {
		if s.same(func(at []modular.Residue) { exchange(at, one, other); negate(at, x.at[0]) }) {
			sym := symmetryOf(2, members, types.Labels)
			sym.Names, sym.Flips = append(sym.Names, x.name), x.at[0]
			s.found = append(s.found, sym)
			return
		}
	}
}

// mirror records a symmetry if the density is unchanged when all the given coordinates change sign together.
func (s *search) mirror(names []string, at []int) {
	if !s.implied(at) && s.same(func(x []modular.Residue) { negate(x, at) }) {
		s.found = append(s.found, types.Symmetry{Kind: types.Signs, Names: names, Sets: [][]int{at}})
	}
}

// implied reports whether sign changes or rotations that were found already change the sign of exactly these
// coordinates.
func (s *search) implied(at []int) bool {
	in := map[int]bool{}
	for _, i := range at {
		in[i] = true
	}
	left := len(in)
	for _, f := range s.found {
		sets := f.Sets
		switch f.Kind {
		case types.Labels:
			continue
		case types.Rotations:
			sets = [][]int{slices.Concat(f.Sets...)}
		}
		for _, set := range sets {
			if !slices.ContainsFunc(set, func(i int) bool { return !in[i] }) {
				left -= len(set)
			}
		}
	}
	return left == 0
}

func symmetryOf(labels int, of []member, kind types.SymmetryKind) types.Symmetry {
	s := types.Symmetry{Kind: kind}
	for _, m := range of {
		s.Names = append(s.Names, m.name)
	}
	for k := range labels {
		s.Sets = append(s.Sets, setOf(of, k))
	}
	return s
}

// setOf returns the coordinates of a label in all members.
func setOf(of []member, label int) (out []int) {
	for _, m := range of {
		out = append(out, m.at[label]...)
	}
	return out
}

func negate(at []modular.Residue, set []int) {
	for _, i := range set {
		at[i] = at[i].Negative()
	}
}

func exchange(at []modular.Residue, one, other []int) {
	for k, i := range one {
		at[i], at[other[k]] = at[other[k]], at[i]
	}
}

func rotate(at []modular.Residue, one, other []int, cos, sin modular.Residue) {
	for k, i := range one {
		x, y := at[i], at[other[k]]
		at[i], at[other[k]] = cos.Times(x).Minus(sin.Times(y)), sin.Times(x).Plus(cos.Times(y))
	}
}

// subsets returns the subsets of 0 … n−1 with `size` elements.
func subsets(n, size int) (out [][]int) {
	if size == 0 {
		return [][]int{nil}
	}
	for last := size - 1; last < n; last++ {
		for _, rest := range subsets(last, size-1) {
			out = append(out, append(rest, last))
		}
	}
	return out
}

func chosen(of []member, part []int) (out []member) {
	for _, k := range part {
		out = append(out, of[k])
	}
	return out
}

func others(of []member, part []int) (out []member) {
	for k, m := range of {
		if !slices.Contains(part, k) {
			out = append(out, m)
		}
	}
	return out
}
