package dynamics

import (
	"math"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/backend/lower"
	"ppl/infer"
	"ppl/runtime/noise"
)

// Batches describes which rows replace all rows of a target that is a sum over rows. The zero value means all rows.
//
// An unadjusted rule (one without a Metropolis test) uses Size different rows at each step, drawn independently for
// each step and walker. Both kinds of independence matter, as measured on the mean of 10⁴ normals with batches of 256.
// If steps use each row once per epoch, later steps compensate the errors of earlier ones: noise that cancels over an
// epoch heats momenta, to which the thermostat reacts, but not θ (variance .63 of the true one). If the replicas of a
// ladder share batches, their errors are correlated, their joint distribution is not a product, and swaps are not
// reversible (1.09). With anchors, sharing is harmless: to first order, the error of a walker's gradient is linear in
// its distance from the anchor, with independent signs for independent walkers. So if Anchored, all lanes use the same
// rows, which are read once for all. If an exact density is needed (Size = 0, for rules that correct, and for the entry
// Gradient), the rows of Reference are used with weights that sum to the number of rows. This gives a posterior of
// about the same shape and location.
//
// With anchors, all rows are cut in random order into blocks of about Size, and each batch is a random block, so the
// values at an anchor can be tabulated by block. Rows of high leverage are Always in the batch with weight 1; rows of
// the block have the number of blocks as weight.
//
// If rows are in random order already (Mixed), as in the files of data too large for memory, a batch consists of Size
// consecutive rows from a random position, wrapping around at the end. The rows of the entry Terms, for energies, are
// consecutive too. Averaged over all positions, the mean of a batch equals that of all rows. Its variance equals that
// of Size rows drawn without replacement, up to a relative error of about √(2·Size/Rows): the sampling error of a
// variance that is estimated from Rows/Size batches.
type Batches struct {
	Rows, Size int
	Mixed      bool
	Reference  []float64 // distinct row numbers
	Chunk      int       // number of rows in a call of the entry Terms
	Pass       int       // number of rows in a call of the entry Residuals, and of AllRows if rows are in files
	Anchored   bool      // estimates are corrected by the values at the lane's anchor
	Order      []float64 // if Anchored: rows in random order, from which blocks are cut; nil if Mixed
	Always     []float64 // if Anchored: rows that are in every batch besides its block, with weight 1
	HeldOut    int       // the first HeldOut rows of Order are not used for training
}

// HoldOut excludes a random choice of rows from training.
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

// NewBatches returns minibatches of size rows, with a random reference of at most reference rows.
func NewBatches(rows, size, reference, chunk int, seed uint64) Batches {
	b := Batches{Rows: rows, Size: size, Chunk: chunk, Pass: chunk}
	for i := range min(reference, rows) {
		b.Reference = append(b.Reference, noise.Shuffle(seed, rows, referenceKey, float64(i)))
	}
	return b
}

// Anchor sets b to anchored batches, with blocks cut from a random order of all rows.
func (b *Batches) Anchor(seed uint64) {
	b.Anchored = true
	if !b.Mixed {
		b.Order = randomOrder(b.Rows, seed)
	}
}

// referenceKey is a key of random orders that no walker has.
const referenceKey = math.MaxUint32

// InUse reports whether batches are used.
func (b Batches) InUse() bool { return b.Rows > 0 }

// AtReference returns the system with the rows of Reference in place of all rows.
func (s System) AtReference() System {
	s.Batches.Size, s.Batches.Anchored = 0, false
	return s
}

// Lane buffers and entries for batches.
const (
	Walker = "walker" // set by the host: the walker's number, the key of its batches
	// set by the host: the chain's number; all walkers of a chain use the same rows for energies
	Chain     = "chain"
	Round     = "round"      // set by the host: round of exchanges; each round has its own order of rows
	Part      = "part"       // given by the host: number of the part of the rows that an entry reads
	Terms     = "terms"      // entry, and its result: log ℓ(θ; x) of the rows of a part, then of Always
	Controls  = "controls"   // result of Terms: the first-order approximation of these terms about the anchor
	Whole     = "whole"      // result of Terms: log ρ and the part of log ℓ that is not a sum over rows
	NoisyGrad = "noisy_grad" // entry, and its result: ∇log π_β estimated from one batch as in a step
	PlainGrad = "plain_grad" // entry, and its result: the same without an anchor
	clock     = "clock"      // number of batches that a lane has used
)

// keys returns 2·of + odd, the key of a row order: odd keys are for steps, even keys for energies.
func keys(of autodiff.Node, odd float64) autodiff.Node {
	return autodiff.Add(autodiff.Mul(of.Graph().Const(2), of), of.Graph().Const(odd))
}

// fromEpoch returns the rows at positions part·size to (part+1)·size − 1 of an epoch. Each epoch has all rows in
// another random order.
func (s System) fromEpoch(key, epoch, part autodiff.Node, size int) autodiff.Node {
	g, n := epoch.Graph(), s.Batches.Rows
	first := autodiff.Add(autodiff.Mul(epoch, g.Const(float64(n))), autodiff.Mul(part, g.Const(float64(size))))
	return g.Shuffle(n, key, autodiff.Add(autodiff.Broadcast(first, []int{size}, nil), g.Iota(size)))
}

// Blocks returns the number of blocks of anchored batches. Block k has the rows from first(k) up to, not including,
// first(k+1) of the order: Block rows or one fewer.
func (b Batches) Blocks() int { return (b.Rows + b.Size - 1) / b.Size }

// Block returns the size of the largest blocks.
func (b Batches) Block() int { return (b.Rows + b.Blocks() - 1) / b.Blocks() }

// InBatch returns the number of rows that a program reads for an anchored batch.
func (b Batches) InBatch() int { return b.Block() + len(b.Always) }

// InChunk returns the number of rows that a program reads for a part.
func (b Batches) InChunk() int { return b.Chunk + len(b.Always) }

// blocksOfAlways returns for each row of Always the number of its block.
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

// BlockAt returns the block that all lanes use at a noise step.
func (b Batches) BlockAt(seed, step uint64) int {
	return int(float64(b.Blocks()) * noise.Common(seed, step, siteRows))
}

// UsesAnchor reports whether batches are anchored and the entry uses one.
func (b Batches) UsesAnchor(entry string) bool {
	return b.Anchored && slices.Contains([]string{"start", "step", "end", NoisyGrad}, entry)
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

// inEpoch is fromEpoch on the host. If rows are Mixed, it returns consecutive rows.
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

// density returns log ρ and log ℓ of the target. If batches are in use, log ℓ is estimated from a batch, or from the
// rows of Reference if Size is 0.
func (s System) density(theta autodiff.Node) (logPrior, logLik autodiff.Node) {
	b, g := s.Batches, theta.Graph()
	switch {
	case !b.InUse():
		return s.Target.Density(theta)
	case b.Size == 0:
		return s.estimate(theta, g.Data("reference", b.Reference, len(b.Reference)))
	}
	if b.Anchored {
		return s.fromBlock(theta)
	}
	return s.estimate(theta, s.fromEpoch(keys(g.Input(Walker), 1), g.Input(clock), g.Const(0), b.Size))
}

// estimate returns log ρ and an unbiased estimate of log ℓ from rows.
func (s System) estimate(theta, rows autodiff.Node) (logPrior, logLik autodiff.Node) {
	logPrior, whole, terms := s.split(theta, rows)
	weight := theta.Graph().Const(float64(s.Batches.Rows) / float64(rows.Size()))
	return logPrior, autodiff.Add(whole, autodiff.Mul(weight, autodiff.SumAll(terms)))
}

func (s System) split(theta, rows autodiff.Node) (logPrior, whole, terms autodiff.Node) {
	return s.Target.(infer.Splittable).Split(theta, rows)
}

// batchEntries returns the entries that only systems with batches have.
func (s System) batchEntries() []lower.Entry {
	if s.Batches.Size == 0 {
		return nil
	}
	entries := []lower.Entry{s.termsEntry(), s.allRowsEntry(), s.noisyEntry(NoisyGrad)}
	if s.Batches.Anchored {
		entries = append(entries, s.BlockEntry(), s.residualsEntry())
		s.Batches.Anchored = false
		entries = append(entries, s.noisyEntry(PlainGrad))
	}
	return entries
}

// termsEntry returns the entry Terms, which reads a part of a round's order of rows. Each round is an epoch.
func (s System) termsEntry() lower.Entry {
	g, b := autodiff.New(), s.Batches
	rows := s.fromEpoch(keys(g.Input(Chain), 0), g.Input(Round), g.Given(Part), b.Chunk)
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
		autodiff.Add(g.Input(clock), g.Const(1))), s.countBatch(g)...)}
}
