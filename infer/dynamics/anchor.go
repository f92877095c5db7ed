package dynamics

import (
	"ppl/autodiff"
	"ppl/compiler/backend/lower"
	"ppl/infer"
)

// An anchor a is a point where all rows' terms and their gradients are known, summed by block: the K blocks of rows of
// which each batch takes one (Batches.Blocks). Near it, terms are about linear, and a block S needs to estimate only
// the rest (SGLD-CV: Baker, Fearnhead, Fox and Nemeth, Statistics and Computing 2019; renewed anchors: Dubey et al.,
// NeurIPS 2016):
//
//	log ℓ(θ) ≈ Σ ℓᵢ(a) + (θ − a)·Σ ∇ℓᵢ(a) + K Σ_S [ℓᵢ(θ) − ℓᵢ(a) − (θ − a)·∇ℓᵢ(a)]
//	         = K Σ_S ℓᵢ(θ) + level_S + (θ − a)·slope_S
//
// so that a step needs the gradient of the block's rows at θ alone: what the block says at the anchor is a number and a
// vector, which the host has tabulated with the entry Block and writes before the step. The estimate is without bias
// wherever the anchor is; that decides only how much noise it has.
//
// Where a few rows C have most of the curvature, a block that has one of them says far too much, and one that has none
// too little. These rows are read at every step (Batches.Always). They count as themselves and are taken out of their
// blocks, in tables and in steps:
//
//	log ℓ(θ) ≈ Σ_C ℓᵢ(θ) + K Σ_(S without C) ℓᵢ(θ) + level_S + (θ − a)·slope_S
//
// These are lane buffers that the host writes: the anchor; levels and slopes of the batches to come, at most Ahead of
// them; how many of these were taken since; and the share of the correction that is used, 0 or 1: a rung so hot that
// its walkers are far from every anchor has less noise without one.
const (
	Anchor      = "anchor"
	Levels      = "anchor_levels"
	Slopes      = "anchor_slopes"
	Taken       = "anchor_taken"
	AnchorShare = "anchor_share"
)

// Ahead is how many batches the host writes corrections of at a time.
const Ahead = 64

// AnchorBuffers lists the lane buffers that the host writes of an anchor before each call that reads them.
func AnchorBuffers() []string {
	return []string{Anchor, Levels, Slopes, Taken, BlockNumber}
}

// Lane buffers that the entry Block writes, which reads the anchor: sums over the rows of a block, the number of which
// is given to all lanes.
const (
	Block       = "block"
	BlockNumber = "block_number"
	BlockSum    = "block_sum"   // Σ_S ℓᵢ(a), without rows that are always in a batch
	BlockSlope  = "block_slope" // its gradient
)

// Lane buffers that the entry AllRows writes, which reads the anchor. It covers all rows at once where they are in
// memory, else Pass of them, the part Part in their order; then sums are those of the part.
const (
	AllRows     = "all_rows"
	RowsSum     = "rows_sum"     // Σ ℓᵢ(a)
	RowsSlope   = "rows_slope"   // its gradient
	RestDensity = "rest_density" // log ρ and the part of log ℓ that is not a sum over rows
	RestSlope   = "rest_slope"   // its gradient
)

func (s System) anchor(g *autodiff.Graph) autodiff.Node { return g.Input(Anchor, s.Target.Dim()) }

// fromBlock is log ρ and the estimate of log ℓ from a batch, corrected by what the anchor says of it.
func (s System) fromBlock(theta autodiff.Node) (logPrior, logLik autodiff.Node) {
	g := theta.Graph()
	blocks := g.Const(float64(s.Batches.Blocks()))
	logPrior, whole, sum, always := s.block(theta, autodiff.Floor(autodiff.Mul(blocks, g.Common(siteRows))))
	taken := g.Input(Taken)
	level := autodiff.Gather(g.Input(Levels, Ahead), taken)
	slope := autodiff.Gather(g.Input(Slopes, Ahead, s.Target.Dim()), taken)
	tilt := autodiff.SumAll(autodiff.Mul(slope, autodiff.Sub(theta, s.anchor(g))))
	sum = autodiff.Add(autodiff.Mul(blocks, sum), autodiff.MulZero(g.Input(AnchorShare), autodiff.Add(level, tilt)))
	return logPrior, autodiff.Add(whole, autodiff.Add(sum, always))
}

// took counts the batch of an entry.
func (s System) took(g *autodiff.Graph) []lower.Assign {
	if !s.Batches.Anchored {
		return nil
	}
	return put(Taken, autodiff.Add(g.Input(Taken), g.Const(1)))
}

// block is log ρ, the part of log ℓ that is not a sum over rows, the sum over the rows of a block, and that over rows
// which are always in a batch. Where blocks differ by a row, the program reads one row more of the smaller ones, before
// or after it, which counts as nothing.
func (s System) block(theta, number autodiff.Node) (logPrior, whole, sum, always autodiff.Node) {
	g, b := theta.Graph(), s.Batches
	size := b.Block()
	first, next := s.firstOf(number), s.firstOf(autodiff.Add(number, g.Const(1)))
	start := autodiff.Minimum(first, g.Const(float64(b.Rows-size)))
	at := autodiff.Add(autodiff.Broadcast(start, []int{size}, nil), g.Iota(size))
	rows := at
	if b.Order != nil {
		rows = autodiff.Gather(g.Data("order", b.Order, b.Rows), at)
	}
	if len(b.Always) > 0 {
		return s.blockAndAlways(theta, number, rows, autodiff.Mul(autodiff.Le(first, at), autodiff.Lt(at, next)))
	}
	logPrior, whole, terms := s.split(theta, rows)
	if b.Rows%b.Blocks() > 0 {
		terms = autodiff.MulZero(autodiff.Mul(autodiff.Le(first, at), autodiff.Lt(at, next)), terms)
	}
	return logPrior, whole, autodiff.SumAll(terms), g.Const(0)
}

// blockAndAlways is block with rows that are always in a batch; counted says which of the others are of the block.
func (s System) blockAndAlways(theta, number, rows, counted autodiff.Node) (logPrior, whole, sum,
	always autodiff.Node) {
	g, b, n := theta.Graph(), s.Batches, len(s.Batches.Always)
	logPrior, whole, terms := s.split(theta, autodiff.Concat(0, rows, g.Data("always", b.Always, n)))
	taken := autodiff.Neg(autodiff.Eq(g.Data("blocks_of_always", b.blocksOfAlways(), n), number))
	added := autodiff.Concat(0, g.Full(0, rows.Size()), g.Full(1, n))
	sum = autodiff.SumAll(autodiff.MulZero(autodiff.Concat(0, counted, taken), terms))
	return logPrior, whole, sum, autodiff.SumAll(autodiff.MulZero(added, terms))
}

// firstOf is Batches.first.
func (s System) firstOf(number autodiff.Node) autodiff.Node {
	g, b := number.Graph(), s.Batches
	return autodiff.Floor(autodiff.Div(autodiff.Mul(number, g.Const(float64(b.Rows))), g.Const(float64(b.Blocks()))))
}

// blockEntry returns a pass over one block at the anchor.
func (s System) blockEntry() lower.Entry {
	g := autodiff.New()
	at := s.anchor(g)
	_, _, sum, _ := s.block(at, g.Input(BlockNumber))
	return lower.Entry{Name: Block, Assign: put(BlockSum, sum, BlockSlope, autodiff.Grad(sum, at)[0]),
		Given: []string{BlockNumber}}
}

// controls returns the terms of rows to first order about the anchor.
func (s System) controls(theta, rows autodiff.Node) autodiff.Node {
	at := s.anchor(theta.Graph())
	_, _, terms := s.split(at, rows)
	return autodiff.Add(terms, along(terms, at, autodiff.Sub(theta, at)))
}

// along returns the derivative of each of ys, a function of x, in a direction: that of the pullback Σ wᵢ∇yᵢ·direction,
// which is linear in w, by w.
func along(ys, x, direction autodiff.Node) autodiff.Node {
	w := ys.Graph().Input("weights", ys.Size())
	pullback := autodiff.Grad(autodiff.SumAll(autodiff.Mul(w, ys)), x)[0]
	return autodiff.Grad(autodiff.SumAll(autodiff.Mul(pullback, direction)), w)[0]
}

// allRowsEntry returns a pass over the data at the anchor, or a chunk of it.
func (s System) allRowsEntry() lower.Entry {
	g := autodiff.New()
	at := s.anchor(g)
	of := s.inMemory
	if _, streamed := infer.Streaming(s.Target); streamed {
		of = s.chunk
	}
	logPrior, whole, sum := of(at)
	rest := autodiff.Add(logPrior, whole)
	return lower.Entry{Name: AllRows, Assign: put(RowsSum, sum, RowsSlope, autodiff.Grad(sum, at)[0],
		RestDensity, rest, RestSlope, autodiff.Grad(rest, at)[0])}
}

// inMemory takes the sum over all rows from the whole density.
func (s System) inMemory(at autodiff.Node) (logPrior, whole, sum autodiff.Node) {
	_, whole, _ = s.split(at, at.Graph().Iota(1))
	logPrior, logLik := s.Target.Density(at)
	return logPrior, whole, autodiff.Sub(logLik, whole)
}

// chunk counts rows beyond the last as nothing.
func (s System) chunk(at autodiff.Node) (logPrior, whole, sum autodiff.Node) {
	g, b := at.Graph(), s.Batches
	first := autodiff.Broadcast(autodiff.Mul(g.Input(Part), g.Const(float64(b.Pass))), []int{b.Pass}, nil)
	rows, last := autodiff.Add(first, g.Iota(b.Pass)), g.Full(float64(b.Rows-1), b.Pass)
	logPrior, whole, terms := s.split(at, autodiff.Minimum(rows, last))
	return logPrior, whole, autodiff.SumAll(autodiff.MulZero(autodiff.Le(rows, last), terms))
}
