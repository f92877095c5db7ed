package subsampling

import (
	"slices"

	"ppl/infer/renhd/modesearch"
	"ppl/infer/renhd/part"
	"ppl/infer/renhd/population"
)

// Subsampling manages a run whose steps read only some of the rows: it chooses how many, makes control variates from
// anchors, measures the remaining noise of gradients, and estimates the energies of swaps.
type Subsampling struct {
	*part.Run
	modes    *modesearch.Known
	controls *controls // controls of the current walkers
	state    State
}

// New returns the subsampling of a run, attached to its walkers.
func New(c *part.Run, m *modesearch.Known) *Subsampling {
	s := &Subsampling{Run: c, modes: m}
	c.ReadRows = s.follow
	return s
}

// Name returns the name of the state in checkpoints.
func (s *Subsampling) Name() string { return "subsampling" }

// State returns the state that checkpoints store.
func (s *Subsampling) State() any { return &s.state }

// follow returns the controls of new walkers. fresh is true if they have no positions yet.
func (s *Subsampling) follow(w *population.Walkers, fresh bool) population.RowReader {
	old, phase := s.controls, s.Phase
	s.controls = &controls{Walkers: w, State: &s.state, target: s.Phase.Target,
		loader: newBatchLoader(&s.Phase, s.Blank), blank: s.Blank, loadBlocks: phase.LoadBlocks}
	s.controls.keepTables(old)
	if fresh {
		s.state.AnchorOf = slices.Repeat([]int{-1}, w.Lanes())
	}
	for lane := range s.state.AnchorOf {
		s.controls.writeAnchor(lane)
	}
	return s.controls
}

// SeveralAnchors reports whether there are several anchors.
func (s *Subsampling) SeveralAnchors() bool { return len(s.state.Anchors) > 1 }

// AnchorOf returns the index of the anchor nearest to a position, among those at modes.
func (s *Subsampling) AnchorOf(x []float64) int { return s.controls.nearestAnchor(x, true) }

// ModeNear returns the position of the anchor nearest to x, among those at modes.
func (s *Subsampling) ModeNear(x []float64) []float64 { return s.state.Anchors[s.AnchorOf(x)].At }

// readRows reads the next chunk of rows of a pass.
func (s *Subsampling) readRows(a *allRows) error {
	return a.iterate(s.Ctx, s.controls.Walkers)
}
