package optimize

import (
	"slices"

	"ppl/autodiff"
	"ppl/infer/firstorder"
)

// A method is a way to find a mode.
type method struct {
	name string
	step firstorder.Step // nil for methods of second order
	// first returns the initial rate, if none is given
	first func(slope autodiff.Node, network bool) autodiff.Node
}

// methods returns all methods.
func methods() []method {
	return []method{
		{"lbfgs", nil, nil},
		{"adam", firstorder.Adam, rateOfAdam},
		{"adamw", firstorder.AdamW, rateOfAdam},
		{"sgd", firstorder.Momentum, rateOfMomentum},
	}
}

// Methods returns the names of all methods.
func Methods() (names []string) {
	for _, m := range methods() {
		names = append(names, m.name)
	}
	return names
}

func methodNamed(name string) method {
	all := methods()
	i := slices.IndexFunc(all, func(m method) bool { return m.name == name })
	if i < 0 {
		panic("internal error: no method " + name)
	}
	return all[i]
}

// rateOfAdam returns Adam's initial rate, which is about the distance that a step moves each coordinate.
func rateOfAdam(slope autodiff.Node, network bool) autodiff.Node {
	if network {
		return slope.Graph().Const(1e-3) // from Adam's paper; weights are about 1/√inputs
	}
	return slope.Graph().Const(0.1)
}

// rateOfMomentum returns a rate at which the first step moves the coordinate with the steepest slope by .1, or by .005
// for networks, whose weights are about 1/√inputs. Momentum makes later steps up to ten times as long.
func rateOfMomentum(slope autodiff.Node, network bool) autodiff.Node {
	g, first := slope.Graph(), 0.1
	if network {
		first = 0.005
	}
	steepest := autodiff.Max(autodiff.Abs(slope), 0)
	return autodiff.Div(g.Const(first), autodiff.Maximum(steepest, g.Const(1e-300)))
}
