// Package pieces joins the parts of an array that is defined by several statements to one box.
//
//	h[1] = 0              piece 1..1
//	h[t in 2..T] = …      piece 2..T: together 1..T
//	h[t in 4..T] = …      refused: defined twice, or 2..3 is not defined
//	P[1..2, K] = …        pieces that lie side by side along each axis
//
// Ends are linear forms of sizes, so that what joins is known before data are there: one part begins an axis, one ends
// it, and each of the others begins just after another ends. That no element is left out or defined twice is checked
// again when sizes are known. Allen 1983, doi:10.1145/182.358434, lists how two intervals can lie.
package pieces
