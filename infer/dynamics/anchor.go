package dynamics

import (
	"fmt"

	"ppl/autodiff"
	"ppl/compiler/backend/lower"
	"ppl/infer"
)

// An anchor a is a point at which the log likelihoods of all rows and their gradients are known, as sums over each of K
// blocks of rows (Batches.Blocks). A batch is one block. Near the anchor the terms are almost linear, so a block S only
// needs to estimate the remainder (SGLD-CV: Baker, Fearnhead, Fox and Nemeth, Statistics and Computing 2019; renewed
// anchors: Dubey et al., NeurIPS 2016):
//
//	log ℓ(θ) ≈ Σ ℓᵢ(a) + (θ − a)·Σ ∇ℓᵢ(a) + K Σ_S [ℓᵢ(θ) − ℓᵢ(a) − (θ − a)·∇ℓᵢ(a)]
//	         = K Σ_S ℓᵢ(θ) + level_S + (θ − a)·slope_S
//
// Here level_S = Σ ℓᵢ(a) − K Σ_S ℓᵢ(a), and slope_S is its gradient. So a step needs the gradient of the block's rows
// at θ only. The host tabulates level_S and slope_S with the entry Block and writes them before the step. The estimate
// is unbiased for any anchor; the anchor only changes the variance.
//
// If a few rows C have most of the curvature, a block with one of them overestimates greatly, and a block without them
// underestimates. So these rows are read at every step (Batches.Always). They have weight 1 and are removed from their
// blocks, in tables and in steps:
//
//	log ℓ(θ) ≈ Σ_C ℓᵢ(θ) + K Σ_(S without C) ℓᵢ(θ) + level_S + (θ − a)·slope_S
//
// The host writes these lane buffers: the anchor; the levels and slopes of the next Ahead batches; the number of these
// batches used so far; and the factor of the correction, 0 or 1. The factor is 0 on rungs so hot that walkers are far
// from every anchor and the correction would add noise.
const (
	Anchor      = "anchor"
	Levels      = "anchor_levels"
	Slopes      = "anchor_slopes"
	Taken       = "anchor_taken"
	AnchorShare = "anchor_share"
)

// Ahead is the number of batches for which the host writes corrections at a time.
const Ahead = 64

// AnchorBuffers lists the lane buffers of an anchor that the host writes before each call that reads them.
func AnchorBuffers() []string {
	return []string{Anchor, Levels, Slopes, Taken, BlockNumber}
}

// Lane buffers of the entry Block, which sums the rows of a block at the anchor. Each lane may have another block.
const (
	Block       = "block"
	BlockNumber = "block_number" // set by the host
	BlockSum    = "block_sum"    // Σ_S ℓᵢ(a), without the rows of Batches.Always
	BlockSlope  = "block_slope"  // gradient of BlockSum
)

// Lane buffers that the entry AllRows writes: sums over rows at the anchor. If all rows are in memory, it covers them
// at once. Otherwise a call covers Pass rows, the part with number Part, and writes sums over these.
const (
	AllRows     = "all_rows"
	RowsSum     = "rows_sum"     // Σ ℓᵢ(a)
	RowsSlope   = "rows_slope"   // gradient of RowsSum
	RestDensity = "rest_density" // log ρ and the part of log ℓ that is not a sum over rows
	RestSlope   = "rest_slope"   // gradient of RestDensity
)

// Residuals is an entry and its result. It reads the Pass neighbouring rows of a Part: for each row it computes the
// difference between the row's term and the first-order approximation of the term about the anchor.
const Residuals = "residuals"

func (s System) anchor(g *autodiff.Graph) autodiff.Node { return g.Input(Anchor, s.Target.Dim()) }

// fromBlock returns log ρ and the estimate of log ℓ from a batch with the anchor's correction.
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

// countBatch returns the assignment that adds 1 to Taken, or nil if batches are not anchored.
func (s System) countBatch(g *autodiff.Graph) []lower.Assign {
	if !s.Batches.Anchored {
		return nil
	}
	return put(Taken, autodiff.Add(g.Input(Taken), g.Const(1)))
}

// block returns log ρ, the part of log ℓ that is not a sum over rows, the sum over the rows of a block, and the sum
// over the rows that are in every batch. If block sizes differ by one, a smaller block also reads a row of its
// neighbour, with weight 0.
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

// blockAndAlways is block for batches with rows that are always read. It removes these rows from the sum over the
// block. counted is 1 for the rows that belong to the block, else 0.
func (s System) blockAndAlways(theta, number, rows, counted autodiff.Node) (logPrior, whole, sum,
	always autodiff.Node) {
	g, b, n := theta.Graph(), s.Batches, len(s.Batches.Always)
	logPrior, whole, terms := s.split(theta, autodiff.Concat(0, rows, g.Data("always", b.Always, n)))
	taken := autodiff.Neg(autodiff.Eq(g.Data("blocks_of_always", b.blocksOfAlways(), n), number))
	added := autodiff.Concat(0, g.Full(0, rows.Size()), g.Full(1, n))
	sum = autodiff.SumAll(autodiff.MulZero(autodiff.Concat(0, counted, taken), terms))
	return logPrior, whole, sum, autodiff.SumAll(autodiff.MulZero(added, terms))
}

// firstOf is Batches.first as a graph.
func (s System) firstOf(number autodiff.Node) autodiff.Node {
	g, b := number.Graph(), s.Batches
	return autodiff.Floor(autodiff.Div(autodiff.Mul(number, g.Const(float64(b.Rows))), g.Const(float64(b.Blocks()))))
}

// BlockEntry returns the entry Block, which sums one block at the anchor.
func (s System) BlockEntry() lower.Entry {
	g := autodiff.New()
	at := s.anchor(g)
	_, _, sum, _ := s.block(at, g.Input(BlockNumber))
	return lower.Entry{Name: Block, Assign: put(BlockSum, sum, BlockSlope, autodiff.Grad(sum, at)[0])}
}

// residualsEntry returns the entry Residuals.
func (s System) residualsEntry() lower.Entry {
	g, b := autodiff.New(), s.Batches
	first := autodiff.Mul(g.Given(Part), g.Const(float64(b.Pass)))
	start := autodiff.Minimum(first, g.Const(float64(b.Rows-b.Pass)))
	rows, theta := autodiff.Add(autodiff.Broadcast(start, []int{b.Pass}, nil), g.Iota(b.Pass)), s.theta(g)
	_, _, terms := s.split(theta, rows)
	return lower.Entry{Name: Residuals, Assign: put(Residuals, autodiff.Sub(terms, s.controls(theta, rows)))}
}

// Passes returns the number of parts of Pass rows that cover all rows.
func (b Batches) Passes() int { return (b.Rows + b.Pass - 1) / b.Pass }

// InPass returns the first row that the entry Residuals reads in a part, and the range of positions among the rows
// that it reads of those that no earlier part has: the last part begins earlier if there are too few rows left.
func (b Batches) InPass(part int) (start, from, end int) {
	start = min(part*b.Pass, b.Rows-b.Pass)
	return start, part*b.Pass - start, b.Pass
}

// controls returns the first-order Taylor approximation of the rows' terms about the anchor.
func (s System) controls(theta, rows autodiff.Node) autodiff.Node {
	at := s.anchor(theta.Graph())
	_, _, terms := s.split(at, rows)
	return autodiff.Add(terms, directional(terms, at, autodiff.Sub(theta, at)))
}

// directional returns the directional derivative of each element of ys, a function of x. It differentiates the pullback
// Σ wᵢ∇yᵢ·direction, which is linear in w, with respect to w.
func directional(ys, x, direction autodiff.Node) autodiff.Node {
	w := ys.Graph().Input(fmt.Sprintf("weights of %d", ys.Size()), ys.Size())
	pullback := autodiff.Grad(autodiff.SumAll(autodiff.Mul(w, ys)), x)[0]
	return autodiff.Grad(autodiff.SumAll(autodiff.Mul(pullback, direction)), w)[0]
}

// allRowsEntry returns the entry AllRows, which sums all rows at the anchor, or one part of them.
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

// inMemory returns log ρ, the part of log ℓ that is not a sum over rows, and the sum over all rows.
func (s System) inMemory(at autodiff.Node) (logPrior, whole, sum autodiff.Node) {
	_, whole, _ = s.split(at, at.Graph().Iota(1))
	logPrior, logLik := s.Target.Density(at)
	return logPrior, whole, autodiff.Sub(logLik, whole)
}

// chunk is inMemory for one part of the rows. Positions beyond the last row have weight 0.
func (s System) chunk(at autodiff.Node) (logPrior, whole, sum autodiff.Node) {
	g, b := at.Graph(), s.Batches
	first := autodiff.Broadcast(autodiff.Mul(g.Given(Part), g.Const(float64(b.Pass))), []int{b.Pass}, nil)
	rows, last := autodiff.Add(first, g.Iota(b.Pass)), g.Full(float64(b.Rows-1), b.Pass)
	logPrior, whole, terms := s.split(at, autodiff.Minimum(rows, last))
	return logPrior, whole, autodiff.SumAll(autodiff.MulZero(autodiff.Le(rows, last), terms))
}
