package autodiff

import "math"

// slope is dy/dx of the unary kind that made y from x.
func slope(k Kind, x, y Node) Node {
	c := func(v float64) Node { return x.Graph().Full(v, x.Shape()...) }
	switch k {
	case OpNeg:
		return c(-1)
	case OpAbs:
		return Sign(x)
	case OpExp:
		return y
	case OpLog:
		return Div(c(1), x)
	case OpLog1p:
		return Div(c(1), Add(c(1), x))
	case OpExpm1:
		return Exp(x)
	case OpSqrt:
		return Div(c(.5), y)
	case OpSin:
		return Cos(x)
	case OpCos:
		return Neg(Sin(x))
	case OpTan:
		return Add(c(1), Mul(y, y))
	case OpAsin:
		return Div(c(1), Sqrt(oneMinusSquare(x)))
	case OpAcos:
		return Div(c(-1), Sqrt(oneMinusSquare(x)))
	case OpAtan:
		return Div(c(1), Add(c(1), Mul(x, x)))
	case OpSinh:
		return Cosh(x)
	case OpCosh:
		return Sinh(x)
	case OpTanh:
		return oneMinusSquare(y)
	case OpSigmoid:
		return Mul(y, Sigmoid(Neg(x)))
	case OpSoftplus:
		return Sigmoid(x)
	case OpLogSigmoid:
		return Sigmoid(Neg(x))
	}
	return specialSlope(k, x, y)
}

func oneMinusSquare(x Node) Node {
	one := x.Graph().Const(1)
	return Mul(Sub(one, x), Add(one, x))
}

// specialSlope is slope for the special functions.
func specialSlope(k Kind, x, y Node) Node {
	c := x.Graph().Const
	gauss := func(scale float64) Node { return Mul(c(scale), Exp(Neg(Mul(x, x)))) }
	switch k {
	case OpLgamma:
		return Digamma(x)
	case OpDigamma:
		return Trigamma(x)
	case OpTrigamma:
		return tetragamma(x)
	case OpErf:
		return gauss(2 / math.Sqrt(math.Pi))
	case OpErfc:
		return gauss(-2 / math.Sqrt(math.Pi))
	case OpLogNormCDF:
		return inverseMills(x, y)
	case OpNormQuantile:
		return Mul(c(math.Sqrt(2*math.Pi)), Exp(Mul(c(.5), Mul(y, y))))
	case OpLambertW:
		return Div(Exp(Neg(y)), Add(c(1), y))
	}
	bug("%v has no slope", k)
	return Node{}
}

// inverseMills is φ(x)/Φ(x) with y = log Φ(x). Far out on the left, where the exponents cancel, it is the asymptotic
// series t + 1/t − 2/t³ + 10/t⁵ at t = −x; at the seam, t = 100, the next term is 7e-15 of the sum.
func inverseMills(x, y Node) Node {
	c := x.Graph().Const
	near := Exp(Sub(Sub(Mul(c(-.5), Mul(x, x)), y), c(math.Log(2*math.Pi)/2)))
	z := Div(c(1), Mul(x, x))
	far := Mul(Neg(x), horner(z, 1, 1, -2, 10))
	return Where(Lt(x, c(-100)), far, near)
}

// tetragamma is ψ″(x) for x > 0: ten steps of the recurrence, then the asymptotic series (the derivatives of NIST DLMF
// 5.15.5 and 5.15.8).
func tetragamma(x Node) Node {
	c := x.Graph().Const
	sum := c(0)
	for range 10 {
		sum = Sub(sum, Div(c(2), Pow(x, c(3))))
		x = Add(x, c(1))
	}
	z := Div(c(1), Mul(x, x))
	even := horner(z, 1, 1./2, -1./6, 1./6, -3./10, 5./6, -691./210)
	return Sub(sum, Mul(z, Add(even, Div(c(1), x))))
}

// horner is a[0] + a[1]z + a[2]z² + ….
func horner(z Node, a ...float64) Node {
	c := z.Graph().Const
	sum := c(a[len(a)-1])
	for k := len(a) - 2; k >= 0; k-- {
		sum = Add(c(a[k]), Mul(z, sum))
	}
	return sum
}

// elementwiseToArg is the pullback of a binary kind or Select.
func elementwiseToArg(n, bar Node, k int) Node {
	x, zero := n.args[0], n.Graph().Const(0)
	switch kind := n.op.Kind; {
	case kind == OpSelect && k == 1:
		return Where(x, bar, zero)
	case kind == OpSelect:
		return Where(x, zero, bar)
	case kind == OpDiv:
		return quotientToArg(n, bar, k)
	case kind == OpPow:
		return powerToArg(n, bar, k)
	case kind == OpMul || kind == OpMulZero:
		return chain(bar, n.args[1-k])
	case kind == OpMaximum:
		return chain(share(n.args[1-k], n.args[k]), bar)
	case kind == OpMinimum:
		return chain(share(n.args[k], n.args[1-k]), bar)
	case kind == OpAdd || k == 0:
		return bar
	case kind == OpSub:
		return Neg(bar)
	case kind == OpMod:
		return Neg(chain(bar, Floor(Div(x, n.args[1]))))
	}
	bug("%v has no gradient", n.op)
	return Node{}
}

// share is 1 where low < high, ½ where they tie, else 0.
func share(low, high Node) Node {
	return Mul(low.Graph().Const(.5), Add(Lt(low, high), Le(low, high)))
}

// quotientToArg: ∂(x/y) = ∂x/y − (x/y) ∂y/y.
func quotientToArg(n, bar Node, k int) Node {
	y := n.args[1]
	if k == 0 {
		return chain(bar, Div(n.Graph().Const(1), y))
	}
	return Neg(chain(bar, Div(n, y)))
}

// powerToArg: ∂xʸ = y xʸ⁻¹ ∂x + xʸ log x ∂y. The second term leaves out log 0. The first is 0 where it would be
// infinite, at x = 0 with y < 1: an expression that is constantly 0 as parameters change has derivative 0.
func powerToArg(n, bar Node, k int) Node {
	x, y := n.args[0], n.args[1]
	c := n.Graph().Const
	if k == 1 {
		return chain(bar, MulZero(Where(Eq(x, c(0)), c(0), Log(x)), n))
	}
	slope := Pow(x, Sub(y, c(1)))
	if v, ok := y.IsConst(); !ok || v < 1 {
		slope = Where(Mul(Eq(x, c(0)), Lt(y, c(1))), c(0), slope)
	}
	return chain(chain(bar, y), slope)
}
