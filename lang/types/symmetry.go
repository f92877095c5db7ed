package types

import "strings"

// A SymmetryKind identifies the transformations that form a Symmetry.
type SymmetryKind uint8

const (
	Labels    SymmetryKind = iota // the sets exchange their coordinates, in any order
	Signs                         // all coordinates of a set change sign; each set may do so independently
	Rotations                     // the i-th coordinates of all sets form a vector; all vectors rotate together
)

// A Symmetry is a group of transformations of coordinates that do not change a density. In
//
//	m[k in 1..3] ~ Normal(0, 10)
//	z[i in N] ~ Categorical(fill(1/3, 3))
//	y[i in N] ~ Normal(m[z[i]], 1)
//
// the elements of m can be exchanged: {Labels, ["m"], [[0], [1], [2]], nil}.
type Symmetry struct {
	Kind  SymmetryKind
	Names []string // names of the arrays
	Sets  [][]int  // coordinates that a transformation exchanges or changes, as Kind says
	// Flips are coordinates that change sign when two sets of Labels are exchanged, such as logit w of w and 1 - w.
	Flips []int
}

// Symmetries are the symmetries of a density with Dim coordinates. Sets may also contain numbers from Dim on, which
// mean the additional coordinates of simplices.
type Symmetries struct {
	Of        []Symmetry
	Dim       int
	Simplices []SimplexPart
}

// A SimplexPart describes a vector of K elements that sum to 1, with K−1 coordinates from First. Symmetries use K other
// coordinates instead, from Logs: the logarithms of the elements minus their mean.
type SimplexPart struct{ First, K, Logs int }

// verbs describes each kind of symmetry, for String.
var verbs = map[SymmetryKind]string{Labels: "change places", Signs: "change sign", Rotations: "rotate"}

// String describes the symmetry: "elements of `m` may change places".
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

// String describes all symmetries.
func (s Symmetries) String() string {
	parts := make([]string, len(s.Of))
	for k, of := range s.Of {
		parts[k] = of.String()
	}
	return strings.Join(parts, "; ")
}
