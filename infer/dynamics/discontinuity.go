package dynamics

import (
	"math"

	"ppl/autodiff"
	"ppl/compiler/backend/lower"
)

// DiscontinuityMove is an entry that runs before a trajectory: a Metropolis step in one coordinate, chosen at random
// from those in which the density jumps. Gradients do not show a jump, so trajectories that cross one may be rejected,
// however short their steps. If a System has such coordinates, trajectories do not change them; only Metropolis steps
// do:
//
//	hop×10 begin step×7 end   a cycle of two kinds of moves, each of which preserves π_β
//
// The proposal is normal. Its scale is drawn too, log-uniformly from farthestMove to nearestMove times the spread of
// the coordinate. The scale does not depend on the lane's position, so the proposal is symmetric.
const DiscontinuityMove = "hop"

const (
	farthestMove = 3.0
	nearestMove  = 1e-3
)

// A Discontinuity is a coordinate, At, in which the density jumps, and its approximate spread.
type Discontinuity struct {
	At     int
	Spread float64
}

// movesAcross reports whether the program has the entry DiscontinuityMove.
func (s System) movesAcross() bool { return len(s.Discontinuities) > 0 }

// discontinuityEntries returns the entry DiscontinuityMove, if the program has it.
func (s System) discontinuityEntries() []lower.Entry {
	if !s.movesAcross() {
		return nil
	}
	g, n := autodiff.New(), len(s.Discontinuities)
	var places, spreads []float64
	for _, j := range s.Discontinuities {
		places, spreads = append(places, float64(j.At)), append(spreads, j.Spread)
	}
	which := autodiff.Floor(autodiff.Mul(g.Const(float64(n)), g.Uniform(siteMovePlace)))
	at := autodiff.Gather(g.Data("jump_places", places, n), which)
	scale := autodiff.Exp(autodiff.Sub(g.Const(math.Log(farthestMove)),
		autodiff.Mul(g.Const(math.Log(farthestMove/nearestMove)), g.Uniform(siteMoveScale))))
	scale = autodiff.Mul(scale, autodiff.Gather(g.Data("jump_spreads", spreads, n), which))
	x := s.theta(g)
	far := autodiff.Mul(scale, autodiff.Reshape(g.Normal(siteMove, 1)))
	y := autodiff.Where(autodiff.Eq(g.Iota(s.Target.Dim()), at), autodiff.Add(x, far), x)
	prior, lik := s.density(y)
	ratio := timesCool(autodiff.Sub(s.temper(prior, lik), s.temper(g.Input(LogPrior), g.Input(LogLik))))
	accept := autodiff.Lt(autodiff.Log(g.Uniform(siteMoveDecision)), ratio)
	prior = autodiff.Where(accept, prior, g.Input(LogPrior))
	lik = autodiff.Where(accept, lik, g.Input(LogLik))
	return []lower.Entry{{Name: DiscontinuityMove, Assign: put(Theta, autodiff.Where(accept, y, x), LogPrior, prior,
		LogLik, lik,
		Tempered, s.tempered(prior, lik))}}
}

// moving returns x with 0 for the coordinates that trajectories do not change.
func (s System) moving(x autodiff.Node) autodiff.Node {
	if !s.movesAcross() {
		return x
	}
	moved := make([]float64, s.Target.Dim())
	for j := range moved {
		moved[j] = 1
	}
	for _, j := range s.Discontinuities {
		moved[j.At] = 0
	}
	return autodiff.Mul(x.Graph().Data("moving", moved, len(moved)), x)
}
