package types

import "strings"

// A SymmetryKind says what changes of coordinates a Symmetry consists of.
type SymmetryKind uint8

const (
	Labels    SymmetryKind = iota // the sets exchange their coordinates, in any order
	Signs                         // all coordinates of a set change sign, in each set or not
	Rotations                     // the vectors of each i-th coordinate of all sets rotate and are reflected, all alike
)

// A Symmetry is a group of changes of coordinates that leave a density as it is. In
//
//	m[k in 1..3] ~ Normal(0, 10)
//	z[i in N] ~ Categorical(fill(1/3, 3))
//	y[i in N] ~ Normal(m[z[i]], 1)
//
// the elements of m may change places: {Labels, ["m"], [[0], [1], [2]], nil}.
type Symmetry struct {
	Kind  SymmetryKind
	Names []string // of the arrays
	Sets  [][]int
	Flips []int // of two Labels: coordinates that change sign where the sets are exchanged, such as logit w of w, 1 - w
}

// Symmetries are those of a density in Dim coordinates. Sets also name coordinates from Dim on: those of simplices.
type Symmetries struct {
	Of        []Symmetry
	Dim       int
	Simplices []SimplexPart
}

// A SimplexPart are the K−1 coordinates from First of a vector of K elements that sum to 1. In their place a Symmetry
// has the logarithms of the elements, less the mean of these, from Logs.
type SimplexPart struct{ First, K, Logs int }

// verbs say how arrays may change.
var verbs = map[SymmetryKind]string{Labels: "change places", Signs: "change sign", Rotations: "rotate"}

// String is such as "elements of `m` may change places".
func (s Symmetry) String() string {
	names := make([]string, len(s.Names))
	for k, name := range s.Names {
		names[k] = "`" + strings.ReplaceAll(name, ", ", "`, `") + "`"
	}
	what := strings.Join(names, ", ")
	if s.Kind == Labels && !strings.Contains(s.Names[0], ", ") || s.Kind == Signs && len(s.Sets) > 1 {
		what = "elements of " + what
	}
	return what + " may " + verbs[s.Kind]
}

// String lists them.
func (s Symmetries) String() string {
	parts := make([]string, len(s.Of))
	for k, of := range s.Of {
		parts[k] = of.String()
	}
	return strings.Join(parts, "; ")
}
