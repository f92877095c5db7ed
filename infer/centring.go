package infer

import (
	"cmp"
	"runtime"
	"slices"

	"ppl/autodiff"
	"ppl/lang/types"
	"ppl/posterior/stats"
)

// A Recentrable target has effects whose elements can be sampled in one of several coordinates (types.Form). The
// distribution of the values is the same in all of them.
type Recentrable interface {
	Target
	// EffectBlocks lists the effects: the positions of their coordinates, and the form that the model chooses for them.
	EffectBlocks() []types.EffectBlock
	// EffectValues adds one vector to theta's graph: the parts of the types.EffectPoint of each block, in the order of
	// EffectBlocks.
	EffectValues(theta autodiff.Node) autodiff.Node
	// Recentred returns the target in other coordinates for the effects that c names. All others keep the coordinates
	// that the model chooses.
	Recentred(c types.Centring) Recentrable
}

// Effects evaluates the effects of a target at points of its coordinates.
type Effects struct {
	Blocks  []types.EffectBlock
	values  *autodiff.Routine
	numbers float64 // number of values that an evaluation keeps in memory
}

// NewEffects returns an evaluator for the effects of t. Points are in the coordinates that t has now.
func NewEffects(t Recentrable) Effects {
	theta := autodiff.New().Input("theta", t.Dim())
	values := t.EffectValues(theta)
	return Effects{t.EffectBlocks(), autodiff.NewRoutine(values), autodiff.Numbers(values)}
}

// At returns the effects at theta, one entry for each block.
func (e Effects) At(theta []float64) (out []types.EffectPoint) {
	all := e.values.Eval(map[string][]float64{"theta": theta})[0]
	for _, b := range e.Blocks {
		n := b.Parts() * b.Size
		out = append(out, b.Point(all[:n]))
		all = all[n:]
	}
	return out
}

// mostTogether bounds the numbers of evaluations at the same time, to 128 MB.
const mostTogether = 1 << 24

// AtAll returns the effects at several points. It uses as many threads as given, or all cores for 0, but fewer if the
// model is large.
func (e Effects) AtAll(points [][]float64, threads int) [][]types.EffectPoint {
	at := make([][]types.EffectPoint, len(points))
	workers := min(float64(cmp.Or(threads, runtime.GOMAXPROCS(0))), max(mostTogether/e.numbers, 1))
	stats.Together(int(workers), len(points), func(k int, _ *stats.Workspace) { at[k] = e.At(points[k]) })
	return at
}

// Converted converts theta from the target's coordinates to those of the centring c.
func (e Effects) Converted(theta []float64, c types.Centring) []float64 {
	out := slices.Clone(theta)
	for k, at := range e.At(theta) {
		b := e.Blocks[k]
		for i := range b.Size {
			out[b.First+i] = at.Coordinate(i, b.Form(c, i))
		}
	}
	return out
}
