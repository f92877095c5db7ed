// Package ir is the kernel language that every device runs: perfect loop nests of straight-line arithmetic over typed
// buffers. Lanes are an implicit leading axis. A lane is one walker (chain × replica); a program is written for one
// lane and runs for all of them; shared buffers (data) are read by every lane. As Print shows it, the kernel of Σ x²
// over three data is
//
//	for i<3
//	  r0 = b0[i]
//	  r1 = mul r0, r0
//	  sum b1[0], r1
//
// A program has no control flow but loops: those of kernels, whose points may be run in any order; Tiles, whose turns
// may be too; and Loop, whose turns follow one another. An entry is a list of statements that runs once per call and
// lane. A device can run a whole schedule of entries for a block of lanes without returning to the host.
package ir

import (
	"slices"

	"ppl/numbers"
)

// Type is the element type of a buffer: stored values are rounded to F32, or truncated towards zero to I32. The type of
// an instruction is the precision in which it computes, F64 or F32.
type Type uint8

const (
	F64 Type = iota
	F32
	I32
)

// Bytes returns the size of an element in memory, on every device. Integers are kept as doubles.
func (t Type) Bytes() int {
	if t == F32 {
		return 4
	}
	return 8
}

// Space says who has a copy of a buffer.
type Space uint8

const (
	Shared Space = iota // one copy, filled by Init, by Setup or by the host, read by all lanes
	// one copy per lane; keeps its contents between calls; has a name by which the host reads and writes it
	Lane
	Scratch // one copy per lane, undefined at the start of an entry
	Tile    // one copy per lane and turn of a Tiles, undefined at its start
)

// BufID indexes Program.Buffers.
type BufID int32

// A Buffer holds Size elements (per lane unless Shared).
type Buffer struct {
	Name  string // unique among Lane and Given buffers; a hint elsewhere
	Space Space
	Type  Type
	Size  int
	Init  numbers.List // Shared only: contents; none when Setup or the host writes them
	// Shared only: the host writes it by its name, before a call, and no statement does; it keeps its contents, zero at
	// first
	Given bool
}

// Named reports whether the host knows the buffer by its name.
func (b *Buffer) Named() bool { return b.Space == Lane || b.Given }

// A Layout says how a device should lay out lanes in memory and what it should make vectors of. It changes no result
// beyond rounding: the order of sums may differ.
type Layout uint8

const (
	// Lanes are innermost, and vectors run along lanes: for small models, whose loops are short.
	Interleaved Layout = iota
	// Each lane has memory of its own, and vectors run along points: for programs whose time goes into products of
	// matrices that all differ by lane, such as networks. A product is then one of whole matrices.
	Apart
)

func (l Layout) String() string { return [...]string{"interleaved", "apart"}[l] }

// A Program is what a device loads.
type Program struct {
	Layout  Layout
	Buffers []Buffer
	Setup   []Stmt // computes Shared buffers once, at load; no lanes, no noise, nothing shuffled
	Entries []Entry
}

// An Entry is called by name. Each execution takes a noise step, unless it is Still: then it has no noise of its step.
type Entry struct {
	Name  string
	Still bool
	Body  []Stmt
}

// A Stmt is one of *Kernel, *MatMul, *CumSum, *Cholesky, *Eigen, *TriSolve, *CholeskyPull, *Peer, *Loop, *Tiles.
type Stmt interface{ stmt() }

// Reg is a register: the value of Kernel.Body[Reg].
type Reg int32

// A Kernel is one perfect loop nest. Body runs once for each point of the iteration space Extents (row-major, outermost
// first; empty means one point). Registers hold floating-point values; comparisons give 0 or 1. An argument of another
// precision than the instruction's is converted.
type Kernel struct {
	Extents []int
	Body    []Instr
	Out     []Output
}

// Points returns the size of the iteration space.
func (k *Kernel) Points() int { return points(k.Extents) }

func points(extents []int) int {
	n := 1
	for _, e := range extents {
		n *= e
	}
	return n
}

// An Instr defines the register of its position in Body.
type Instr struct {
	Op Op
	// of Const, Counter, Normal and arithmetic; a Load has its buffer's (F64 of I32), Uniform and shuffles F64
	Type Type
	Args [3]Reg
	Imm  float64 // Const: the value
	Axis int     // Counter: which loop
	Buf  BufID   // Load
	// Load. For Counter, Normal and Uniform only Const and Step are used; they are added to the counter or the point.
	Index Index
	Site  int // Normal, Uniform, Common, Addressed: the noise site; the point is the row-major position in Extents
	Rows  int // Shuffle: how many rows a permutation has
}

// An Index is an element offset inside a buffer: Const + Step·t + Σ Stride[k]·i_k + Σ Dyn, where t is the turn of the
// surrounding Loop or Tiles.
type Index struct {
	Const  int
	Step   int
	Stride []int // one per loop of the kernel; nil means all zero
	Dyn    []Dyn
}

// Span returns the first and the last element that an index selects in turn 0 of loops of these extents.
func (ix Index) Span(extents []int) (lo, hi int) {
	lo, hi = ix.Const, ix.Const
	grow := func(span int) { lo, hi = lo+min(span, 0), hi+max(span, 0) }
	for axis, s := range ix.Stride {
		grow(s * (extents[axis] - 1))
	}
	for _, d := range ix.Dyn {
		grow(d.Stride * (d.Limit - 1))
	}
	return lo, hi
}

// A Dyn adds Stride · clamp(int(Reg), 0, Limit-1), where int truncates, and turns NaN into 0. Clamping keeps the index
// inside its buffer also in a branch that is not selected; indices that come from data are checked before a program is
// built.
type Dyn struct {
	Reg    Reg
	Stride int
	Limit  int
}

// An Output combines Value into Buf at Index. Store: each point writes an element of its own, or several points write
// the same value. Sum, Max, Min: the whole buffer is first set to 0, -inf, +inf, then contributions are combined, in an
// order that the program alone determines, so that results do not depend on the number of threads or lanes; a NaN makes
// the result NaN. A sum of successive points into one element is accumulated in F64.
type Output struct {
	Buf     BufID
	Index   Index
	Value   Reg
	Combine Combine
}

// Combine says how an Output combines with the value already in the buffer.
type Combine uint8

const (
	Store Combine = iota
	Sum
	Max
	Min
)

func (c Combine) String() string { return [...]string{"store", "sum", "max", "min"}[c] }

// TilePoints is approximately how many consecutive points (of the iteration space flattened outermost first) a device
// runs as one piece of work. It may run pieces in any order, and combines their partial results in order.
const TilePoints = 4096

// MatMul computes C = A·B for each batch: A is [Batch, M, K], B is [Batch, K, N], C is [Batch, M, N], all row-major and
// dense; TransA, TransB say the stored matrix is the transpose. A Shared operand is the same for all lanes. The three
// buffers are F64, or all F32, and so are the sums.
type MatMul struct {
	A, B, C        BufID
	Batch, M, K, N int
	TransA, TransB bool
	// SharedA and SharedB: one matrix for all batches (stride 0 between them).
	SharedA, SharedB bool
	// The first element of each operand; operands may be parts of larger buffers.
	PartA, PartB, PartC Part
	Rows                Dim // in Tiles: the dimension that is the rows of a tile
	// in Tiles: how many rows of the operands belong to each row of the tile, such as the pixels of an image; 0 is 1
	Each int
}

// A Part is the range of a buffer that an operand is: all from element First + Step·t on, where t is the turn.
type Part struct{ First, Step int }

// Dim names a dimension of a MatMul in Tiles.
type Dim uint8

const (
	NoDim Dim = iota // outside Tiles
	DimM
	DimK
)

// CumSum is the inclusive cumulative sum along the middle axis of [Outer, N, Inner]; Reverse sums from the end. It and
// the factorisations are F64.
type CumSum struct {
	In, Out         BufID
	Outer, N, Inner int
	Reverse         bool
}

// Cholesky writes the lower factor of each [N, N] matrix of In to Out, with zeros above the diagonal. All elements are
// NaN if the matrix is not positive definite. Only the lower triangle of In is read.
type Cholesky struct {
	In, Out  BufID
	Batch, N int
}

// Eigen writes the eigendecomposition of each symmetric [N, N] matrix of In to Out [N+1, N]: the eigenvalues in
// increasing order, then the matrix whose columns are the eigenvectors, each of length 1 with its first element that is
// not within 1e-8 of 0 positive; NaN throughout when In is not finite. Only the lower triangle of In is read.
type Eigen struct {
	In, Out  BufID
	Batch, N int
}

// TriSolve solves L·X = B (or Lᵀ·X = B if Trans) for each batch; L is [Batch, N, N] lower, and elements above its
// diagonal are not read; B and Out are [Batch, N, M].
type TriSolve struct {
	L, B, Out   BufID
	Batch, N, M int
	Trans       bool
}

// CholeskyPull writes the pullback of Cholesky for each batch: the symmetric S with tril(2·S·L) = tril(Bar). All are
// [Batch, N, N]; elements above the diagonals of L and Bar are not read.
type CholeskyPull struct {
	L, Bar, Out BufID
	Batch, N    int
}

// Peer makes copies of what another lane has: the first lane of the same group (device.Options.Group) whose Key equals
// the Want of this one if there is none, they are NaN. All lanes have ended the entries before when one with a Peer
// begins, and none begins the next before all have ended it. Key and Want have one element; all are F64.
//
//	group of three   key [2 0 1], want [1 1 2], from [a b c]    →    to [c c a]
type Peer struct {
	Key, Want BufID
	Copies    []Copy
}

// A Copy is of From, of another lane, to To of this one.
type Copy struct{ From, To BufID }

// Peers reports whether lanes of an entry read what others have, so that all run it at the same time.
func (e *Entry) Peers() bool {
	return slices.ContainsFunc(e.Body, func(s Stmt) bool { _, ok := s.(*Peer); return ok })
}

// Loop runs Body for turns t = 0 … N−1, or N−1 … 0 if Reverse, one after the other: a turn reads what earlier turns
// wrote. Indices of kernels in it may move with t. Loops do not nest, and have no noise.
type Loop struct {
	N       int // at least 1
	Reverse bool
	Body    []Stmt
}

func (*Kernel) stmt()       {}
func (*MatMul) stmt()       {}
func (*CumSum) stmt()       {}
func (*Cholesky) stmt()     {}
func (*Eigen) stmt()        {}
func (*TriSolve) stmt()     {}
func (*CholeskyPull) stmt() {}
func (*Peer) stmt()         {}
func (*Loop) stmt()         {}
func (*Tiles) stmt()        {}
