package modular

import "ppl/autodiff"

// unary and binary have the functions of one and of two arguments, with the identities that the package assumes for
// them. A kind that is in neither table, and that Routine.compute does not handle, is an arbitrary function.
var (
	unary = map[autodiff.Kind]func(x Residue) Residue{
		autodiff.OpNeg:        Residue.Negative,
		autodiff.OpNot:        func(x Residue) Residue { return Residue(1).Minus(x) },
		autodiff.OpSingle:     func(x Residue) Residue { return x },
		autodiff.OpDouble:     func(x Residue) Residue { return x },
		autodiff.OpExp:        exponential,
		autodiff.OpExpm1:      func(x Residue) Residue { return exponential(x).Minus(1) },
		autodiff.OpSigmoid:    func(x Residue) Residue { return exponential(x.Negative()).Plus(1).Inverse() },
		autodiff.OpLog1p:      func(x Residue) Residue { return logarithm(x.Plus(1)) },
		autodiff.OpLog:        logarithm,
		autodiff.OpSoftplus:   softplus,
		autodiff.OpLogSigmoid: func(x Residue) Residue { return softplus(x.Negative()).Negative() },
		autodiff.OpErf:        odd(autodiff.OpErf),
		autodiff.OpErfc:       func(x Residue) Residue { return Residue(1).Minus(odd(autodiff.OpErf)(x)) },
		autodiff.OpAbs:        even(autodiff.OpAbs),
		autodiff.OpCos:        even(autodiff.OpCos),
		autodiff.OpCosh:       even(autodiff.OpCosh),
		autodiff.OpSign:       odd(autodiff.OpSign),
		autodiff.OpRound:      odd(autodiff.OpRound),
		autodiff.OpSin:        odd(autodiff.OpSin),
		autodiff.OpTan:        odd(autodiff.OpTan),
		autodiff.OpAsin:       odd(autodiff.OpAsin),
		autodiff.OpAtan:       odd(autodiff.OpAtan),
		autodiff.OpSinh:       odd(autodiff.OpSinh),
		autodiff.OpTanh:       odd(autodiff.OpTanh),
	}
	binary = map[autodiff.Kind]func(x, y Residue) Residue{
		autodiff.OpAdd:     Residue.Plus,
		autodiff.OpSub:     Residue.Minus,
		autodiff.OpMul:     Residue.Times,
		autodiff.OpMulZero: Residue.Times,
		autodiff.OpDiv:     func(x, y Residue) Residue { return x.Times(y.Inverse()) },
		autodiff.OpMaximum: func(x, y Residue) Residue { return x.Plus(y).Plus(distance(x, y)).Times(oneHalf) },
		autodiff.OpMinimum: func(x, y Residue) Residue { return x.Plus(y).Minus(distance(x, y)).Times(oneHalf) },
		autodiff.OpLt:      less,
		autodiff.OpLe:      less,
		autodiff.OpEq:      func(x, y Residue) Residue { return even(autodiff.OpEq)(x.Minus(y)) },
	}
	oneHalf = Residue(Prime/2 + 1)
)

// first reports whether x is the one of x and −x at which odd and even functions are defined by a hash. Their value at
// the other one follows from the symmetry.
func first(x Residue) bool { return x <= Prime/2 }

// odd returns an arbitrary function with f(−x) = −f(x).
func odd(kind autodiff.Kind) func(x Residue) Residue {
	return func(x Residue) Residue {
		switch {
		case x == 0:
			return 0
		case first(x):
			return hash(uint64(kind), x)
		}
		return hash(uint64(kind), x.Negative()).Negative()
	}
}

// even returns an arbitrary function with f(−x) = f(x).
func even(kind autodiff.Kind) func(x Residue) Residue {
	return func(x Residue) Residue {
		if first(x) {
			return hash(uint64(kind), x)
		}
		return hash(uint64(kind), x.Negative())
	}
}

// exponential returns an arbitrary function with f(−x) = 1/f(x) and f(0) = 1.
func exponential(x Residue) Residue {
	switch {
	case x == 0:
		return 1
	case first(x):
		return hash(uint64(autodiff.OpExp), x)
	}
	return hash(uint64(autodiff.OpExp), x.Negative()).Inverse()
}

// logarithm returns an arbitrary function with f(1) = 0.
func logarithm(x Residue) Residue {
	if x == 1 {
		return 0
	}
	return hash(uint64(autodiff.OpLog), x)
}

// softplus returns x/2 plus an even function, because log(1 + eˣ) = x/2 + log(2 cosh(x/2)).
func softplus(x Residue) Residue {
	return x.Times(oneHalf).Plus(even(autodiff.OpSoftplus)(x))
}

// distance returns the substitute for |x − y|.
func distance(x, y Residue) Residue { return even(autodiff.OpAbs)(x.Minus(y)) }

// less returns the substitute for x < y and for x ≤ y, which differ only if x = y. For x ≠ y, exactly one of x < y and
// y < x is true, so their values sum to 1.
func less(x, y Residue) Residue {
	d := x.Minus(y)
	if first(d) {
		return hash(uint64(autodiff.OpLt), d)
	}
	return Residue(1).Minus(hash(uint64(autodiff.OpLt), d.Negative()))
}
