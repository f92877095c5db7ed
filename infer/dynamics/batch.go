package dynamics

import (
	"math"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/backend/lower"
	"ppl/infer"
	"ppl/runtime/noise"
)

// Batches say which rows are used instead of all rows of a target that is a sum over rows. The zero value: all rows.
//
// A free rule takes Size different rows at each step, drawn independently for each step and each walker. Both were
// found to matter, measured on the mean of 10⁴ normals with batches of 256. If steps go through all rows before any
// comes again, later steps compensate the error of earlier ones, and noise that cancels over an epoch heats momenta,
// which the thermostat sees, but not θ (variance .63 of the truth). If the replicas of a ladder share batches, their
// errors are correlated, their joint distribution is not a product, and swaps are not reversible (1.09). With anchors
// it is different: to first order, the error of a walker's gradient is linear in its distance to the anchor, with signs
// of their own for walkers that are independent, so that sharing a batch does not correlate them. All lanes take the
// same rows then, which are read once for all, at the cost of rows of a pass over all data (Anchored). Where an exact
// density is needed (for a rule that corrects, Size = 0, and for the entry Gradient), the rows of Reference are used,
// weighted to count as all rows: a posterior of about the same shape and location.
//
// Rows in an order drawn for the run are then cut into blocks of about Size, and a batch is one of these at random:
// what a block says at an anchor is tabulated. Rows of high leverage are Always in the batch: with weight 1, while
// those of the block have the number of blocks.
//
// If rows are in random order already (Mixed), as in the files of data too large for memory, a batch is Size
// consecutive rows from a random one on, wrapping around at the end, and so are the rows of energies. Over all possible
// first rows, a batch's mean is that of all rows, and its variance is that of Size rows without replacement to a
// relative √(2·Size/Rows), as far as Rows/Size neighbouring batches determine the variance.
type Batches struct {
	Rows, Size int
	Mixed      bool
	Reference  []float64 // numbers of rows, different ones
	Chunk      int       // rows of one call of the entry Terms
	Pass       int       // rows of one call of the entry AllRows, where they stay in files
	Anchored   bool      // what a batch says is compared with what it says at the lane's anchor
	Order      []float64 // of Anchored: rows in random order, which blocks are cut from; nil if Mixed
	Always     []float64 // of Anchored: rows that every batch has besides its block, each counted once
	HeldOut    int       // of Order: how many, from the first, an optimiser does not learn from
}

// HoldOut keeps rows, at random, from what an optimiser learns from.
func (b *Batches) HoldOut(rows int, seed uint64) {
	b.HeldOut, b.Order = rows, randomOrder(b.Rows, seed)
}

func randomOrder(rows int, seed uint64) []float64 {
	out, order := make([]float64, rows), noise.NewOrder(seed, rows, referenceKey, 1)
	for i := range out {
		out[i] = order.At(uint64(i))
	}
	return out
}

// NewBatches returns minibatches of size rows, with a reference of several, drawn once from the seed.
func NewBatches(rows, size, reference, chunk int, seed uint64) Batches {
	b := Batches{Rows: rows, Size: size, Chunk: chunk, Pass: chunk}
	for i := range min(reference, rows) {
		b.Reference = append(b.Reference, noise.Shuffle(seed, rows, referenceKey, float64(i)))
	}
	return b
}

// Anchor makes batches relative to anchors, blocks of all rows in an order drawn once from the seed.
func (b *Batches) Anchor(seed uint64) {
	b.Anchored = true
	if !b.Mixed {
		b.Order = randomOrder(b.Rows, seed)
	}
}

// referenceKey is that of no walker.
const referenceKey = math.MaxUint32

// Some reports whether there are batches at all.
func (b Batches) Some() bool { return b.Rows > 0 }

// AtReference uses the rows of Reference for all rows.
func (s System) AtReference() System {
	s.Batches.Size, s.Batches.Anchored = 0, false
	return s
}

// Lane buffers and entries of batches.
const (
	Walker    = "walker"     // set by the host: its number, for batches of its own
	Chain     = "chain"      // set by the host: its chain's number; energies of a chain's walkers are of the same rows
	Round     = "round"      // set by the host: of exchanges; the rows of each come in an order of their own
	Part      = "part"       // set by the host: which chunk of that order Terms takes
	Terms     = "terms"      // after the entry of that name: log ℓ(θ; x) of the rows of a chunk, and of Always
	Controls  = "controls"   // with it: what they are to first order about the anchor
	Whole     = "whole"      // with it: log ρ and the part of log ℓ that is not a sum over rows
	NoisyGrad = "noisy_grad" // after the entry of that name: ∇log π_β from one batch, as a step sees it
	PlainGrad = "plain_grad" // after the entry of that name: the same without an anchor
	clock     = "clock"      // batches that a lane has seen
)

// keys of row orders: odd ones are for steps, even ones for energies.
func keys(of autodiff.Node, odd float64) autodiff.Node {
	return autodiff.Add(autodiff.Mul(of.Graph().Const(2), of), of.Graph().Const(odd))
}

// fromEpoch returns some rows of an epoch, which has all of them in its own order: the part'th size of them.
func (s System) fromEpoch(key, epoch, part autodiff.Node, size int) autodiff.Node {
	g, n := epoch.Graph(), s.Batches.Rows
	first := autodiff.Add(autodiff.Mul(epoch, g.Const(float64(n))), autodiff.Mul(part, g.Const(float64(size))))
	return g.Shuffle(n, key, autodiff.Add(autodiff.Broadcast(first, []int{size}, nil), g.Iota(size)))
}

// Blocks returns how many blocks anchored batches are cut from, of Block rows or one less: block k has the rows from
// first(k) to before first(k+1) in their order.
func (b Batches) Blocks() int { return (b.Rows + b.Size - 1) / b.Size }

// Block returns the number of rows of the largest blocks.
func (b Batches) Block() int { return (b.Rows + b.Blocks() - 1) / b.Blocks() }

// InBatch returns the number of rows that a program reads for an anchored batch.
func (b Batches) InBatch() int { return b.Block() + len(b.Always) }

// InChunk returns the number of rows that a program reads for a chunk.
func (b Batches) InChunk() int { return b.Chunk + len(b.Always) }

// blocksOfAlways returns the numbers of the blocks that have the rows of Always.
func (b Batches) blocksOfAlways() []float64 {
	place := map[float64]int{}
	for at, row := range b.Order {
		place[row] = at
	}
	out := make([]float64, len(b.Always))
	for i, row := range b.Always {
		at, ordered := place[row]
		if !ordered {
			at = int(row)
		}
		for b.first(int(out[i])+1) <= at {
			out[i]++
		}
	}
	return out
}

func (b Batches) first(k int) int { return int(float64(k) * float64(b.Rows) / float64(b.Blocks())) }

// BlockAt returns the block that all lanes take at a noise step.
func (b Batches) BlockAt(seed, step uint64) int {
	return int(float64(b.Blocks()) * noise.Common(seed, step, siteRows))
}

// Takes reports whether batches are anchored, and an entry takes one of these.
func (b Batches) Takes(entry string) bool {
	return b.Anchored && slices.Contains([]string{"start", "step", "end", NoisyGrad}, entry)
}

// Wanted returns the rows that an entry reads on a lane at a noise step, computed on the host from the lane's scalars;
// nil for an entry that reads no rows. The graphs compute the same rows; the host needs them for targets whose rows it
// loads.
func (b Batches) Wanted(entry string, seed, step uint64, scalar func(name string) float64) []float64 {
	if b.Size == 0 {
		return nil
	}
	if b.Takes(entry) {
		return append(b.rowsOf(b.BlockAt(seed, step)), b.Always...)
	}
	switch entry {
	case Block:
		return append(b.rowsOf(int(scalar(BlockNumber))), b.Always...)
	case "start", "step", NoisyGrad, PlainGrad:
		return b.inEpoch(seed, 2*scalar(Walker)+1, scalar(clock), 0, b.Size)
	case Climb:
		return b.wantedToLearn(seed, scalar(Walker), scalar(clock))
	case Score:
		return b.wantedToScore(scalar(Part))
	case Terms:
		return append(b.inEpoch(seed, 2*scalar(Chain), scalar(Round), scalar(Part), b.Chunk), b.Always...)
	case AllRows:
		rows, first := make([]float64, b.Pass), int(scalar(Part))*b.Pass
		for i := range rows {
			rows[i] = float64(min(first+i, b.Rows-1))
		}
		return rows
	}
	return nil
}

// rowsOf returns the rows that programs read for a block.
func (b Batches) rowsOf(block int) []float64 {
	rows, start := make([]float64, b.Block()), min(b.first(block), b.Rows-b.Block())
	for i := range rows {
		rows[i] = float64(start + i)
		if b.Order != nil {
			rows[i] = b.Order[start+i]
		}
	}
	return rows
}

// inEpoch is fromEpoch on the host, or its part of the rows that follow one another.
func (b Batches) inEpoch(seed uint64, key, epoch, part float64, size int) []float64 {
	rows, first := make([]float64, size), epoch*float64(b.Rows)+part*float64(size)
	if b.Mixed {
		first = noise.Shuffle(seed, b.Rows, key, epoch) + part*float64(size)
	}
	for i := range rows {
		if b.Mixed {
			rows[i] = math.Mod(first+float64(i), float64(b.Rows))
			continue
		}
		rows[i] = noise.Shuffle(seed, b.Rows, key, first+float64(i))
	}
	return rows
}

// density is log ρ and log ℓ of the target, or what the rows of a batch say of it.
func (s System) density(theta autodiff.Node) (logPrior, logLik autodiff.Node) {
	b, g := s.Batches, theta.Graph()
	switch {
	case !b.Some():
		return s.Target.Density(theta)
	case b.Size == 0:
		return s.estimate(theta, g.Data("reference", b.Reference, len(b.Reference)))
	}
	if b.Anchored {
		return s.fromBlock(theta)
	}
	return s.estimate(theta, s.fromEpoch(keys(g.Input(Walker), 1), g.Input(clock), g.Const(0), b.Size))
}

// estimate is log ρ and an unbiased estimate of log ℓ from rows.
func (s System) estimate(theta, rows autodiff.Node) (logPrior, logLik autodiff.Node) {
	logPrior, whole, terms := s.split(theta, rows)
	weight := theta.Graph().Const(float64(s.Batches.Rows) / float64(rows.Size()))
	return logPrior, autodiff.Add(whole, autodiff.Mul(weight, autodiff.SumAll(terms)))
}

func (s System) split(theta, rows autodiff.Node) (logPrior, whole, terms autodiff.Node) {
	return s.Target.(infer.Splittable).Split(theta, rows)
}

// batchEntries returns what the host asks of a system with batches.
func (s System) batchEntries() []lower.Entry {
	if s.Batches.Size == 0 {
		return nil
	}
	entries := []lower.Entry{s.termsEntry(), s.allRowsEntry(), s.noisyEntry(NoisyGrad)}
	if s.Batches.Anchored {
		entries = append(entries, s.blockEntry())
		s.Batches.Anchored = false
		entries = append(entries, s.noisyEntry(PlainGrad))
	}
	return entries
}

// termsEntry walks a round's order of rows, chunk by chunk. Each round is an epoch: Rows positions.
func (s System) termsEntry() lower.Entry {
	g, b := autodiff.New(), s.Batches
	rows := s.fromEpoch(keys(g.Input(Chain), 0), g.Input(Round), g.Input(Part), b.Chunk)
	if n := len(b.Always); n > 0 {
		rows = autodiff.Concat(0, rows, g.Data("always", b.Always, n))
	}
	theta := s.theta(g)
	logPrior, whole, terms := s.split(theta, rows)
	both := autodiff.Concat(0, autodiff.Reshape(logPrior, 1), autodiff.Reshape(whole, 1))
	return lower.Entry{Name: Terms, Assign: put(Terms, terms, Whole, both, Controls, s.controls(theta, rows))}
}

func (s System) noisyEntry(name string) lower.Entry {
	g := autodiff.New()
	pieces, _, _ := s.noisyPieces(s.theta(g))
	return lower.Entry{Name: name, Assign: append(put(name, s.force(pieces), clock,
		autodiff.Add(g.Input(clock), g.Const(1))), s.took(g)...)}
}
