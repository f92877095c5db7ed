// Package typing gives expressions their types: operators, functions, densities and reductions of operands that have
// types already. The result has an element type, the axes of its operands, a range of values, and whether it depends on
// data only.
//
//	x[N] + a          axes [N]: those of the operand with most axes, among which the others must be
//	X[N, D] @ b[D]    axes [N]: the last axis of the left is the first of the right
//	exp(a)            in 0..inf: ranges are those of interval arithmetic (Moore 1966, Interval Analysis)
//	flatten(x[H, W])  axes [1..H*W]
//
// Axes are index sets and are matched by set, as dimensions with names are (Chiang, Rush and Barak 2021, Named Tensor
// Notation, arXiv:2102.13196). What names mean is not known here: package check finds it and asks this package. An
// expression that was refused is poison (Poison): what reads it is poison, and silent.
package typing
