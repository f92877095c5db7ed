// Package types has types that the compiler and the samplers share: element types (int) and supports (Simplex) of
// values, and descriptions of variables, unconstrained coordinates, effects and symmetries.
package types

// Elem is an element type: bool ⊂ int ⊂ real.
type Elem uint8

const (
	Real Elem = iota
	Int
	Bool
)

func (e Elem) String() string { return [...]string{"real", "int", "bool"}[e] }

// Kind is the kind of a support, the set of values that a quantity may have. stdlib has a transform from unconstrained
// coordinates for each.
type Kind uint8

const (
	RealLine     Kind = iota // all reals
	Interval                 // reals in Lo..Hi; the ends may be infinite or depend on parameters
	IntRange                 // integers in Lo..Hi; the ends may be infinite
	Simplex                  // last axis: positive, sum 1
	Ordered                  // last axis: increasing, inside Lo..Hi
	ZeroSum                  // last axis: sum 0
	Correlation              // last two axes: correlation matrix
	Covariance               // last two axes: covariance matrix
	CholeskyCorr             // last two axes: Cholesky factor of a correlation matrix
	CholeskyCov              // last two axes: Cholesky factor of a covariance matrix
	UnitVector               // last axis: sum of squares 1
)

func (k Kind) String() string {
	return [...]string{"real", "interval", "int", "simplex", "ordered", "zerosum", "correlation", "covariance",
		"Cholesky factor of a correlation",
		"Cholesky factor of a covariance", "unit vector"}[k]
}

// EventRank returns the number of trailing axes that the support constrains together.
func (k Kind) EventRank() int {
	switch k {
	case Simplex, Ordered, ZeroSum, UnitVector:
		return 1
	case Correlation, Covariance, CholeskyCorr, CholeskyCov:
		return 2
	}
	return 0
}
