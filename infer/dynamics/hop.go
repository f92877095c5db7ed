package dynamics

import (
	"math"

	"ppl/autodiff"
	"ppl/compiler/backend/lower"
)

// Hop is an entry, before a trajectory: a Metropolis step in one of the coordinates in which the density jumps, drawn
// by lot. No gradient shows a jump, so a trajectory that crosses one is rejected by chance, however short its steps.
// Where a System has such coordinates, trajectories leave them where they are, and only hops move them:
//
//	hop×10 begin step×7 end     a cycle of two steps, each of which leaves π_β invariant
//
// A hop is normal with a scale that is drawn too, evenly in its logarithm, from farthest to nearest times the spread of
// the coordinate. Since that does not depend on where the lane is, the way back is as likely.
const Hop = "hop"

const (
	farthestHop = 3.0
	nearestHop  = 1e-3
)

// A Jump is a coordinate in which the density jumps, and about how far it is spread.
type Jump struct {
	At     int
	Spread float64
}

// hops reports whether the program has the entry Hop.
func (s System) hops() bool { return len(s.Jumps) > 0 }

// hopEntries are that of Hop.
func (s System) hopEntries() []lower.Entry {
	if !s.hops() {
		return nil
	}
	g, n := autodiff.New(), len(s.Jumps)
	var places, spreads []float64
	for _, j := range s.Jumps {
		places, spreads = append(places, float64(j.At)), append(spreads, j.Spread)
	}
	which := autodiff.Floor(autodiff.Mul(g.Const(float64(n)), g.Uniform(siteHopPlace)))
	at := autodiff.Gather(g.Data("jump_places", places, n), which)
	scale := autodiff.Exp(autodiff.Sub(g.Const(math.Log(farthestHop)),
		autodiff.Mul(g.Const(math.Log(farthestHop/nearestHop)), g.Uniform(siteHopScale))))
	scale = autodiff.Mul(scale, autodiff.Gather(g.Data("jump_spreads", spreads, n), which))
	x := s.theta(g)
	far := autodiff.Mul(scale, autodiff.Reshape(g.Normal(siteHop, 1)))
	y := autodiff.Where(autodiff.Eq(g.Iota(s.Target.Dim()), at), autodiff.Add(x, far), x)
	prior, lik := s.density(y)
	ratio := cooled(autodiff.Sub(s.temper(prior, lik), s.temper(g.Input(LogPrior), g.Input(LogLik))))
	accept := autodiff.Lt(autodiff.Log(g.Uniform(siteHopDecision)), ratio)
	prior = autodiff.Where(accept, prior, g.Input(LogPrior))
	lik = autodiff.Where(accept, lik, g.Input(LogLik))
	return []lower.Entry{{Name: Hop, Assign: put(Theta, autodiff.Where(accept, y, x), LogPrior, prior, LogLik, lik,
		Tempered, s.tempered(prior, lik))}}
}

// moving is x without the coordinates that trajectories leave where they are.
func (s System) moving(x autodiff.Node) autodiff.Node {
	if !s.hops() {
		return x
	}
	moved := make([]float64, s.Target.Dim())
	for j := range moved {
		moved[j] = 1
	}
	for _, j := range s.Jumps {
		moved[j.At] = 0
	}
	return autodiff.Mul(x.Graph().Data("moving", moved, len(moved)), x)
}
