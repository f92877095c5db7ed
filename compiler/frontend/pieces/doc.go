// Package pieces joins the parts of an array that is defined by several statements into one box.
//
//	h[1] = 0              piece 1..1
//	h[t in 2..T] = …      piece 2..T: together 1..T
//	h[t in 4..T] = …      error: overlaps 2..T; without that piece, 2..3 would not be defined
//	P[1..2, K] = …        pieces are joined along each axis separately
//
// Bounds are affine forms of sizes, so parts can be joined before data are known: one part begins an axis, one ends it,
// and each of the others begins directly after the end of another. When sizes are known, a later check ensures that no
// element is omitted or defined twice. Allen 1983, doi:10.1145/182.358434, lists the possible relations of two
// intervals.
package pieces
