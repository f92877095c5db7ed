package modular

import "ppl/autodiff"

// unary has the functions of one argument, and binary of two, with the identities that hold for them here. A kind that
// is in neither, and that Routine.compute does not know, is a function of which nothing is known.
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

// first reports whether an element is the one of x and −x from which the value at both follows.
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

// softplus is x/2 and an even function, as log(1 + eˣ) = x/2 + log(2 cosh(x/2)).
func softplus(x Residue) Residue {
	return x.Times(oneHalf).Plus(even(autodiff.OpSoftplus)(x))
}

// distance is |x − y|.
func distance(x, y Residue) Residue { return even(autodiff.OpAbs)(x.Minus(y)) }

// less is x < y, or x ≤ y: they differ where the two are equal, which is nowhere in an interval. One of x < y and
// y < x is true, so that their sum is 1.
func less(x, y Residue) Residue {
	d := x.Minus(y)
	if first(d) {
		return hash(uint64(autodiff.OpLt), d)
	}
	return Residue(1).Minus(hash(uint64(autodiff.OpLt), d.Negative()))
}
