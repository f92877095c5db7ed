// Package ir is the kernel language that every device runs: perfect loop nests of straight-line arithmetic over typed
// buffers. A lane is one walker (chain × replica). A program is written for one lane and runs for all lanes; all lanes
// read the same shared buffers (data). Print shows the kernel of Σ x² over three data as
//
//	for i<3
//	  r0 = b0[i]
//	  r1 = mul r0, r0
//	  sum b1[0], r1
//
// The only control flow of a program is loops: those of kernels, whose points may run in any order; Tiles, whose
// iterations may also run in any order; and Loop, whose iterations run one after another. An entry is a list of
// statements that runs once per call and lane. A device can run a whole schedule of entries for a block of lanes
// without returning to the host.
package ir

import (
	"slices"

	"ppl/numbers"
)

// Type is the element type of a buffer: stored values are rounded to F32, or truncated towards zero to I32. The type of
// an instruction is the precision in which it computes: F64 or F32.
type Type uint8

const (
	F64 Type = iota
	F32
	I32
)

// Bytes returns the size of an element in memory, which is the same on every device. Integers are stored as doubles.
func (t Type) Bytes() int {
	if t == F32 {
		return 4
	}
	return 8
}

// Space determines how many copies of a buffer exist, and how long its contents live.
type Space uint8

const (
	Shared Space = iota // one copy, filled by Init, by Setup or by the host, and read by all lanes
	// one copy per lane; keeps its contents between calls; the host reads and writes it by its name
	Lane
	Scratch // one copy per lane, undefined at the start of an entry
	Tile    // one copy per lane and iteration of a Tiles, undefined at the start of the iteration
)

// BufID indexes Program.Buffers.
type BufID int32

// A Buffer holds Size elements; unless it is Shared, each lane has its own copy.
type Buffer struct {
	Name  string // unique among Lane and Given buffers; for others only shown when the program is printed
	Space Space
	Type  Type
	Size  int
	Init  numbers.List // initial contents of a Shared buffer; empty if Setup or the host writes it
	// Given marks a Shared buffer that only the host writes, by name, before a call. It is zero at first and keeps its
	// contents between calls.
	Given bool
}

// Named reports whether the host accesses the buffer by name.
func (b *Buffer) Named() bool { return b.Space == Lane || b.Given }

// A Layout determines how a device arranges lanes in memory and along which loop it vectorises. It changes results only
// by rounding, since the order of sums may differ.
type Layout uint8

const (
	// The lane is the innermost index, and vectors run along lanes. This suits small models, whose loops are short.
	Interleaved Layout = iota
	// Each lane has separate memory, and vectors run along points. This suits programs that spend most of their time in
	// products of matrices that differ by lane, such as networks: the matrix of each lane is then contiguous.
	Apart
)

func (l Layout) String() string { return [...]string{"interleaved", "apart"}[l] }

// A Program is what a device loads and runs.
type Program struct {
	Layout  Layout
	Buffers []Buffer
	Setup   []Stmt // runs once at load and computes Shared buffers; has no lanes, noise or shuffles
	Entries []Entry
}

// An Entry is a list of statements that is called by name. Each execution advances the noise step, unless the entry is
// Still; a Still entry cannot use noise that depends on the step.
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
// first; empty means one point). Registers hold floating-point values; comparisons give 0 or 1. Arguments are converted
// to the precision of the instruction that uses them.
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

// An Instr computes the register whose number is the position of the instruction in Body.
type Instr struct {
	Op Op
	// for Const, Counter, Normal and arithmetic. A Load has the type of its buffer (F64 if that is I32); Uniform and
	// Shuffle have F64.
	Type Type
	Args [3]Reg
	Imm  float64 // Const: the value
	Axis int     // Counter: the number of the loop
	Buf  BufID   // Load: the buffer
	// Load: the element. Counter, Normal and Uniform use only Const and Step, which are added to the counter or the
	// point.
	Index Index
	Site  int // Normal, Uniform, Common, Addressed: the noise site; the point is the row-major position in Extents
	Rows  int // Shuffle: number of rows of each permutation
}

// An Index is an element offset inside a buffer: Const + Step·t + Σ Stride[k]·i_k + Σ Dyn, where t is the iteration of
// the surrounding Loop or Tiles.
type Index struct {
	Const  int
	Step   int
	Stride []int // one per loop of the kernel; nil means all zero
	Dyn    []Dyn
}

// Span returns the smallest and the largest element that an index selects in iteration 0 of the surrounding loop, for a
// kernel with these extents.
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

// A Dyn adds Stride · clamp(int(Reg), 0, Limit-1) to an index, where int truncates, and maps NaN to 0. Clamping keeps
// the index inside its buffer even in a branch that is not selected. Indices that come from data are checked before a
// program is built.
type Dyn struct {
	Reg    Reg
	Stride int
	Limit  int
}

// An Output combines Value into Buf at Index. With Store, each point writes a separate element, or several points write
// the same value. With Sum, Max or Min, the entire buffer is first set to 0, -inf or +inf; then the values of all
// points are combined in an order that the program alone determines, so that results do not depend on the number of
// threads or lanes; if a value is NaN, the result is NaN. A sum of successive points into one element is accumulated in
// F64.
type Output struct {
	Buf     BufID
	Index   Index
	Value   Reg
	Combine Combine
}

// Combine determines how an Output combines its value with the value already in the buffer.
type Combine uint8

const (
	Store Combine = iota
	Sum
	Max
	Min
)

func (c Combine) String() string { return [...]string{"store", "sum", "max", "min"}[c] }

// TilePoints is approximately how many consecutive points (of the iteration space flattened outermost first) a device
// processes as one piece. It may run the pieces in any order, but combines their partial results in order.
const TilePoints = 4096

// MatMul computes C = A·B for each batch: A is [Batch, M, K], B is [Batch, K, N], C is [Batch, M, N], all row-major and
// dense. TransA and TransB mean that the stored matrix is the transpose. A Shared operand is the same for all lanes.
// The three buffers and the sums are either all F64 or all F32.
type MatMul struct {
	A, B, C        BufID
	Batch, M, K, N int
	TransA, TransB bool
	// SharedA and SharedB report whether all batches use the same matrix (the stride between batches is 0).
	SharedA, SharedB bool
	// first element of each operand; an operand may be a part of a larger buffer
	PartA, PartB, PartC Part
	Rows                Dim // in Tiles: the dimension that runs over the rows of a tile
	// in Tiles: number of rows of the operands for each row of the tile, such as the pixels of an image; 0 means 1
	Each int
}

// A Part is the range of a buffer that an operand occupies. It begins at element First + Step·t, where t is the
// iteration of the surrounding Loop or Tiles.
type Part struct{ First, Step int }

// Dim names a dimension of a MatMul in Tiles.
type Dim uint8

const (
	NoDim Dim = iota // outside Tiles
	DimM
	DimK
)

// CumSum is the inclusive cumulative sum along the middle axis of [Outer, N, Inner]; Reverse sums from the end. Like
// the factorisations, it is computed in F64.
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
// increasing order, then the matrix whose columns are the eigenvectors. Each eigenvector has length 1, and its first
// element whose absolute value exceeds 1e-8 is positive. If In is not finite, all results are NaN. Only the lower
// triangle of In is read.
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

// Peer copies values from another lane to this one: from the first lane of the same group (device.Options.Group) whose
// Key equals the Want of this lane. If no such lane exists, the copies are NaN. An entry with a Peer starts only after
// all lanes have finished the entries before it, and the next entry starts only after all lanes have finished it. Key
// and Want have one element; all buffers are F64.
//
//	group of three   key [2 0 1], want [1 1 2], from [a b c]    →    to [c c a]
type Peer struct {
	Key, Want BufID
	Copies    []Copy
}

// A Copy is a copy from buffer From of another lane to buffer To of this lane.
type Copy struct{ From, To BufID }

// Peers reports whether an entry reads buffers of other lanes, so that all lanes must run it at the same time.
func (e *Entry) Peers() bool {
	return slices.ContainsFunc(e.Body, func(s Stmt) bool { _, ok := s.(*Peer); return ok })
}

// Loop runs Body for t = 0 … N−1, or N−1 … 0 if Reverse, one iteration after the other: an iteration reads what earlier
// ones wrote. Indices of its kernels may depend on t. Loops do not nest and contain no noise.
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
