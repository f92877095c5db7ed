package renhd

import "slices"

// subsampling is what a run does that reads some of the rows at each step: it chooses how many, makes control variates
// of anchors, measures what noise is left in gradients, and estimates the energies of swaps.
type subsampling struct {
	*course
	modes    *knownModes
	controls *controls // of the walkers that there are
	state    anchorsState
}

func newSubsampling(c *course, m *knownModes) *subsampling {
	s := &subsampling{course: c, modes: m}
	c.readRows = s.follow
	return s
}

// Name implements owner.
func (s *subsampling) Name() string { return "subsampling" }

// State implements owner.
func (s *subsampling) State() any { return &s.state }

// follow makes the controls of walkers, which have no positions yet, or no other ones than before.
func (s *subsampling) follow(w *walkers, fresh bool) rowReader {
	s.controls = &controls{walkers: w, anchorsState: &s.state, loader: newBatchLoader(&s.phase, s.blank)}
	if fresh {
		s.state.AnchorOf = slices.Repeat([]int{-1}, w.lanes())
	}
	for lane := range s.state.AnchorOf {
		s.controls.writeAnchor(lane)
	}
	return s.controls
}

// severalAnchors reports whether there are several.
func (s *subsampling) severalAnchors() bool { return len(s.state.Anchors) > 1 }

// anchorOf is the number of the anchor nearest to a position, of those that are modes.
func (s *subsampling) anchorOf(x []float64) int { return s.controls.nearestAnchor(x, true) }

// modeNear is the anchor nearest to a position, of those that are modes.
func (s *subsampling) modeNear(x []float64) []float64 { return s.state.Anchors[s.anchorOf(x)].At }

// anyFar reports whether a walker is far from all anchors.
func (s *subsampling) anyFar() bool {
	return slices.Contains(s.controls.farFromAnchors(s.positions()), true)
}
