package dynamics

import (
	"math"

	"ppl/autodiff"
	"ppl/compiler/backend/lower"
)

// Cyclical is cyclical stochastic gradient MCMC (Zhang, Li, Zhang, Chen and Wilson, ICLR 2020) with SGLD or SGHMC. In
// each cycle, Δt² falls along half a cosine from Peak² times the square of the lane's step size to 0. The first part of
// a cycle, of share Explore, injects no noise, in order to find a mode. The second part samples, and only trajectories
// that end in it give draws. Modes are weighted by how often they are found, not by their mass in the target.
type Cyclical struct {
	Inner   Inner
	Length  int     // number of steps of a cycle
	Explore float64 // share of a cycle that explores
	Peak    float64 // step at the start of a cycle, as a multiple of the lane's step size
}

// Inner is a rule that Cyclical can use.
type Inner interface {
	Rule
	unadjusted
}

// cycle is the lane buffer that counts the steps of the current cycle.
const cycle = "cycle"

// Name returns the name of the inner rule with the prefix "c".
func (r Cyclical) Name() string { return "c" + r.Inner.Name() }

// Traits returns the traits of the inner rule, with Flagged set: only the sampling stage gives draws.
func (r Cyclical) Traits() Traits {
	t := r.Inner.Traits()
	t.Flagged = true
	return t
}

// Entries returns the entries of the rule.
func (r Cyclical) Entries(s System) []lower.Entry { return unadjustedEntries(r, s) }

func (r Cyclical) fresh(s System, g *autodiff.Graph) []lower.Assign {
	return append(r.Inner.fresh(s, g), put(cycle, g.Const(0), Counts, g.Const(0))...)
}

func (r Cyclical) move(x *state) {
	g := x.g
	done := autodiff.Div(x.own[cycle], g.Const(float64(r.Length)))
	sampling := autodiff.Le(g.Const(r.Explore), done)
	fall := autodiff.Mul(g.Const(0.5), autodiff.Add(g.Const(1), autodiff.Cos(autodiff.Mul(g.Const(math.Pi), done))))
	x.h = autodiff.Mul(x.h, autodiff.Mul(g.Const(r.Peak), autodiff.Sqrt(fall)))
	x.noiseFactor = sampling
	r.Inner.move(x)
	x.own[Counts] = sampling
	x.own[cycle] = autodiff.Mod(autodiff.Add(x.own[cycle], g.Const(1)), g.Const(float64(r.Length)))
}
