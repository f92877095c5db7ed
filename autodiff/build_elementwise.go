package autodiff

import (
	"math"
	"slices"
)

// Unary applies an elementwise kind from OpNeg to OpDouble. It folds constants and simplifies some compositions, such
// as log(exp(x)).
func Unary(k Kind, x Node) Node {
	if k.class() != unary {
		bug("%v is not unary", k)
	}
	if hasPrecision(k, x) {
		return x
	}
	if v, ok := x.IsConst(); ok {
		return x.Graph().Full(k.Row().Unary(v), x.Shape()...)
	}
	if n := simplifyUnary(k, x); n.Valid() {
		return n
	}
	if n := lift([]Node{x}, func(x []Node) Node { return Unary(k, x[0]) }); n.Valid() {
		return n
	}
	return x.Graph().add(Op{Kind: k}, x.Shape(), x)
}

// Binary applies one of OpAdd to OpMulZero; a scalar operand is broadcast. It folds constants and simplifies x+0, x·1,
// x−0 and x/1. Small integer powers become products. A comparison that only a NaN could make false becomes constant
// true.
func Binary(k Kind, x, y Node) Node {
	if k.class() != binary {
		bug("%v is not binary", k)
	}
	shape := common(k, x, y)
	x, y = fill(x, shape), fill(y, shape)
	a, constX := x.IsConst()
	b, constY := y.IsConst()
	switch {
	case constX && constY:
		return x.Graph().Full(k.Row().Binary(a, b), shape...)
	case k == OpAdd && x == y:
		return Mul(x.Graph().Full(2, shape...), x)
	case k == OpLe && highest(x) <= lowest(y):
		return x.Graph().Full(1, shape...)
	case constY:
		if n := simplifyRight(k, x, y, b); n.Valid() {
			return n
		}
	case constX:
		if n := simplifyLeft(k, x, y, a); n.Valid() {
			return n
		}
	}
	if n := signs(k, x, y); n.Valid() {
		return n
	}
	if inverse := reciprocal(y); k == OpDiv && inverse.Valid() {
		return Mul(x, inverse)
	}
	if n := lift([]Node{x, y}, func(x []Node) Node { return Binary(k, x[0], x[1]) }); n.Valid() {
		return n
	}
	return x.Graph().add(Op{Kind: k}, shape, x, y)
}

// underflow is the greatest x for which exp(x) is 0. exp(underflow) is half the smallest float64, which rounds to 0.
const underflow = -1075 * math.Ln2

// reciprocal returns 1/y as exp(−x) if y is an array exp(x), so that x/y needs an exponential and a product, but not a
// division. It does the same in a branch of a Select whose other branch is constant. The result is invalid for other y.
func reciprocal(y Node) Node {
	switch {
	case y.Rank() == 0:
	case y.is(OpExp):
		return Exp(Neg(y.args[0]))
	case y.is(OpSelect) && y.args[1].is(OpExp) && y.args[2].is(OpConst):
		return Where(y.args[0], reciprocal(y.args[1]), Div(y.Graph().Full(1, y.Shape()...), y.args[2]))
	}
	return Node{}
}

// simplifyRight returns a simpler form of x ∘ y for a constant y = b, or an invalid node.
func simplifyRight(k Kind, x, y Node, b float64) Node {
	switch {
	case b == 0 && (k == OpAdd || k == OpSub), b == 1 && (k == OpMul || k == OpDiv || k == OpMulZero):
		return x
	case b == -1 && (k == OpMul || k == OpDiv || k == OpMulZero):
		return Neg(x)
	case k == OpMulZero && finite(b):
		return Mul(x, y)
	case k == OpDiv && powerOfTwo(b) && finite(1/b):
		return Mul(x, y.Graph().Full(1/b, y.Shape()...))
	case k == OpPow:
		return power(x, b)
	case k == OpMul:
		return scaledAgain(x, b)
	}
	return Node{}
}

// simplifyLeft returns a simpler form of x ∘ y for a constant x = a, or an invalid node. Only MulZero simplifies 0·y,
// because y may not be finite.
func simplifyLeft(k Kind, x, y Node, a float64) Node {
	switch {
	case a == 0 && k == OpAdd, a == 1 && k == OpMul:
		return y
	case a == 0 && k == OpSub, a == -1 && k == OpMul:
		return Neg(y)
	case a == 0 && k == OpMulZero:
		return x
	case a == 0 && k == OpLt && y.is(OpExp):
		return Lt(y.Graph().Full(underflow, y.Shape()...), y.args[0])
	case k == OpMulZero:
		return Mul(x, y)
	case k == OpMul:
		return scaledAgain(y, a)
	}
	return Node{}
}

// hasPrecision reports whether the conversion k would not change x. Constants have any precision.
func hasPrecision(k Kind, x Node) bool {
	return k == OpSingle && (x.single || x.is(OpConst)) || k == OpDouble && !x.single
}

// simplifyUnary returns a simpler form of an op applied to the result of another, or an invalid node.
func simplifyUnary(k Kind, x Node) Node {
	switch {
	case k == OpNeg && x.is(OpNeg), k == OpLog && x.is(OpExp):
		return x.args[0]
	case k == OpNeg && x.is(OpMul):
		return scaledAgain(x, -1)
	case k == OpLog && x.is(OpSelect) && x.args[1].is(OpExp):
		return Where(x.args[0], Log(x.args[1]), Log(x.args[2]))
	case k == OpLog:
		if u := logit(x); u.Valid() {
			return LogSigmoid(u)
		}
	case k == OpLog1p && x.is(OpNeg):
		if u := logit(x.args[0]); u.Valid() {
			return LogSigmoid(Neg(u))
		}
	}
	return Node{}
}

// logit returns u if x = σ(u) in the form that the interval transform uses, computed from the nearer end: c ? σ(v) : 1
// − σ(v) with v = c ? u : −u. It is invalid for other x. log x and log(1 − x) can then be computed as log σ(u) and log
// σ(−u), which are finite even if x rounds to 1.
func logit(x Node) Node {
	if !x.is(OpSelect) || !x.args[1].is(OpSigmoid) || !x.args[2].is(OpSub) {
		return Node{}
	}
	near, rest := x.args[1], x.args[2]
	one, constant := rest.args[0].IsConst()
	v := near.args[0]
	if !constant || one != 1 || rest.args[1] != near || !v.is(OpSelect) || v.args[0] != x.args[0] ||
		!v.args[2].is(OpNeg) || v.args[2].args[0] != v.args[1] {
		return Node{}
	}
	return v.args[1]
}

// signs moves a negation out of a product or quotient, where it may cancel with others, and replaces x + (−y) by x − y
// and x − (−y) by x + y. The result is invalid if there is no such negation.
func signs(k Kind, x, y Node) Node {
	switch {
	case k == OpAdd && y.is(OpNeg):
		return Sub(x, y.args[0])
	case k == OpAdd && x.is(OpNeg):
		return Sub(y, x.args[0])
	case k == OpSub && y.is(OpNeg):
		return Add(x, y.args[0])
	case (k == OpMul || k == OpMulZero || k == OpDiv) && x.is(OpNeg):
		return Neg(Binary(k, x.args[0], y))
	case (k == OpMul || k == OpMulZero || k == OpDiv) && y.is(OpNeg):
		return Neg(Binary(k, x, y.args[0]))
	}
	return Node{}
}

// scaledAgain returns a·n as (a·b)·x if n is b·x and a or b is a power of two, because this adds no rounding error. The
// result is invalid for other n.
func scaledAgain(n Node, a float64) Node {
	if !n.is(OpMul) {
		return Node{}
	}
	for k, arg := range n.args {
		if b, ok := arg.IsConst(); ok && (powerOfTwo(a) || powerOfTwo(b)) {
			return Mul(n.Graph().Full(a*b, n.Shape()...), n.args[1-k])
		}
	}
	return Node{}
}

func powerOfTwo(x float64) bool {
	f, _ := math.Frexp(x)
	return math.Abs(f) == 0.5
}

// lowest returns a lower bound of all elements of n that are not NaN.
func lowest(n Node) float64 {
	if v, ok := n.IsConst(); ok {
		return v
	}
	switch n = inner(n); n.op.Kind {
	case OpExp, OpSigmoid, OpSoftplus, OpAbs, OpSqrt:
		return 0
	}
	return math.Inf(-1)
}

// highest returns an upper bound of all elements of n that are not NaN.
func highest(n Node) float64 {
	if v, ok := n.IsConst(); ok {
		return v
	}
	switch n = inner(n); n.op.Kind {
	case OpSigmoid:
		return 1
	case OpLogSigmoid:
		return 0
	}
	return math.Inf(1)
}

// inner returns the node below broadcasts and reshapes.
func inner(n Node) Node {
	for n.is(OpBroadcast) || n.is(OpReshape) {
		n = n.args[0]
	}
	return n
}

// power returns x^b for exponents for which products and roots are better than pow, or an invalid node. √x differs from
// pow only at −0 and −∞.
func power(x Node, b float64) Node {
	one := x.Graph().Full(1, x.Shape()...)
	switch b {
	case 0:
		return one
	case 1:
		return x
	case 2:
		return Mul(x, x)
	case 3:
		return Mul(Mul(x, x), x)
	case 4:
		return Mul(Mul(x, x), Mul(x, x))
	case -1:
		return Div(one, x)
	case -2:
		return Div(one, Mul(x, x))
	case .5:
		return Sqrt(x)
	}
	return Node{}
}

// Where returns a where c ≠ 0 and b elsewhere, elementwise; scalars are broadcast. A NaN condition selects a.
func Where(c, a, b Node) Node {
	shape := common(OpSelect, c, a, b)
	c, a, b = fill(c, shape), fill(a, shape), fill(b, shape)
	if v, ok := c.IsConst(); ok && v == 0 || a == b {
		return b
	} else if ok {
		return a
	}
	if n := lift([]Node{c, a, b}, func(x []Node) Node { return Where(x[0], x[1], x[2]) }); n.Valid() {
		return n
	}
	return c.Graph().add(Op{Kind: OpSelect}, shape, c, a, b)
}

// common returns the shape that all non-scalar args share, or nil if all are scalars.
func common(k Kind, args ...Node) []int {
	var shape []int
	for _, a := range args {
		if a.Rank() == 0 {
			continue
		}
		if shape != nil && !slices.Equal(a.Shape(), shape) {
			bug("%v of shapes %v and %v", k, shape, a.Shape())
		}
		shape = a.Shape()
	}
	return shape
}

// fill broadcasts a scalar to shape.
func fill(x Node, shape []int) Node {
	if x.Rank() > 0 {
		return x
	}
	return Broadcast(x, shape, nil)
}

func bits(v float64) uint64 { return math.Float64bits(v) }
