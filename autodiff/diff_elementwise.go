package autodiff

import "math"

// This file has the gradients of elementwise ops that need more than one line.

func oneMinusSquare(x Node) Node {
	one := x.Graph().Const(1)
	return Mul(Sub(one, x), Add(one, x))
}

// gauss returns scale·exp(−x²).
func gauss(x Node, scale float64) Node {
	c := x.Graph().Const
	return Mul(c(scale), Exp(Neg(Mul(x, x))))
}

// normQuantileSlope returns the derivative 1/φ(y) of y = Φ⁻¹(x).
func normQuantileSlope(x, y Node) Node {
	c := x.Graph().Const
	return Mul(c(math.Sqrt(2*math.Pi)), Exp(Mul(c(.5), Mul(y, y))))
}

// inverseMills returns φ(x)/Φ(x), given y = log Φ(x). For x < −100, where the exponents would cancel, it uses the
// asymptotic series t + 1/t − 2/t³ + 10/t⁵ in t = −x. At t = 100 the next term is 7e-15 of the sum.
func inverseMills(x, y Node) Node {
	c := x.Graph().Const
	near := Exp(Sub(Sub(Mul(c(-.5), Mul(x, x)), y), c(math.Log(2*math.Pi)/2)))
	z := Div(c(1), Mul(x, x))
	far := Mul(Neg(x), horner(z, 1, 1, -2, 10))
	return Where(Lt(x, c(-100)), far, near)
}

// tetragamma returns ψ″(x) for x > 0: ten steps of the recurrence, then the asymptotic series (the derivatives of NIST
// DLMF 5.15.5 and 5.15.8).
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

// horner returns a[0] + a[1]z + a[2]z² + ….
func horner(z Node, a ...float64) Node {
	c := z.Graph().Const
	sum := c(a[len(a)-1])
	for k := len(a) - 2; k >= 0; k-- {
		sum = Add(c(a[k]), Mul(z, sum))
	}
	return sum
}

// share returns, elementwise, 1 if low < high, ½ if they are equal, and 0 otherwise.
func share(low, high Node) Node {
	return Mul(low.Graph().Const(.5), Add(Lt(low, high), Le(low, high)))
}

// quotientToArg returns the pullback of x/y: ∂(x/y) = ∂x/y − (x/y) ∂y/y.
func quotientToArg(n, bar Node, k int) Node {
	y := n.args[1]
	if k == 0 {
		return chain(bar, Div(n.Graph().Const(1), y))
	}
	return Neg(chain(bar, Div(n, y)))
}

// powerToArg returns the pullback of xʸ: ∂xʸ = y xʸ⁻¹ ∂x + xʸ log x ∂y. At x = 0 it omits the second term, and replaces
// an infinite first term (y < 1) by 0: an expression that is constantly 0 as parameters change has derivative 0.
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

func differenceToArg(_, bar Node, k int) Node {
	if k == 0 {
		return bar
	}
	return Neg(bar)
}

func factorToArg(n, bar Node, k int) Node { return chain(bar, n.args[1-k]) }

// remainderToArg returns the pullback of the remainder: ∂(x − y·floor(x/y)) = ∂x − floor(x/y) ∂y, which holds between
// jumps.
func remainderToArg(n, bar Node, k int) Node {
	if k == 0 {
		return bar
	}
	return Neg(chain(bar, Floor(Div(n.args[0], n.args[1]))))
}

// branchToArg passes the gradient to the branch that is taken.
func branchToArg(n, bar Node, k int) Node {
	taken, zero := n.args[0], n.Graph().Const(0)
	if k == 1 {
		return Where(taken, bar, zero)
	}
	return Where(taken, zero, bar)
}
