// Package typing computes the types of expressions: of operators, functions, densities and reductions whose operands
// are already typed. It determines the element type, the axes, the range of values, and whether the value depends on
// data only.
//
//	x[N] + a          axes [N]: those of the operand with most axes; the other axes must be among them
//	X[N, D] @ b[D]    axes [N]: the last axis of the left is the first of the right
//	exp(a)            in 0..inf: ranges are those of interval arithmetic (Moore 1966, Interval Analysis)
//	flatten(x[H, W])  axes [1..H*W]
//
// Axes are index sets and are matched by set, like named dimensions (Chiang, Rush and Barak 2021, Named Tensor
// Notation, arXiv:2102.13196). This package does not resolve names: package check does, and then calls this package. A
// rejected expression is replaced by poison (Poison); expressions that read poison become poison without a new error.
package typing
