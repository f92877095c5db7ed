package optimize

import (
	"math"
	"slices"
)

// A method is a way to find a mode.
type method struct {
	name string
	// step moves x in place along its gradient, which may be noisy; nil for methods of second order
	step func(m *Adam, x, gradient []float64, rate, decay float64)
	// first returns the initial rate, if none is given
	first func(gradient []float64, network bool) float64
}

// methods returns all methods. Adam is from Kingma and Ba (2015), adamw is Adam with decoupled weight decay (Loshchilov
// and Hutter 2019), sgd is gradient ascent with momentum .9 (Polyak 1964).
func methods() []method {
	return []method{
		{"lbfgs", nil, nil},
		{"adam", func(m *Adam, x, gradient []float64, rate, _ float64) { m.Move(x, gradient, rate) }, rateOfAdam},
		{"adamw", decayed, rateOfAdam},
		{"sgd", momentum, rateOfMomentum},
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

// Adam scales each coordinate's step by running means of its gradient and of its square, with the constants of Kingma
// and Ba.
type Adam struct {
	Steps         float64
	Means, Powers []float64 // running means of each coordinate's gradient, and of its square
	Epsilon       float64
}

// NewAdam returns an Adam before its first step.
func NewAdam(dim int) *Adam {
	return &Adam{Means: make([]float64, dim), Powers: make([]float64, dim), Epsilon: 1e-8}
}

// Move moves x by one step.
func (a *Adam) Move(x, gradient []float64, rate float64) {
	const beta1, beta2 = 0.9, 0.999
	a.Steps++
	c1, c2 := 1-math.Pow(beta1, a.Steps), 1-math.Pow(beta2, a.Steps)
	for i, g := range gradient {
		a.Means[i] += (1 - beta1) * (g - a.Means[i])
		a.Powers[i] += (1 - beta2) * (g*g - a.Powers[i])
		x[i] += rate * a.Means[i] / c1 / (math.Sqrt(a.Powers[i]/c2) + a.Epsilon)
	}
}

// decayed multiplies x by 1 − rate·decay and makes a step of Adam. The decay does not enter the running means.
func decayed(m *Adam, x, gradient []float64, rate, decay float64) {
	for i := range x {
		x[i] *= 1 - rate*decay
	}
	m.Move(x, gradient, rate)
}

// momentum makes the step v ← .9 v + g, x ← x + rate·v. Means holds v.
func momentum(m *Adam, x, gradient []float64, rate, _ float64) {
	const keep = 0.9
	for i, g := range gradient {
		m.Means[i] = keep*m.Means[i] + g
		x[i] += rate * m.Means[i]
	}
}

// rateOfAdam returns Adam's initial rate, which is about the distance that a step moves each coordinate.
func rateOfAdam(_ []float64, network bool) float64 {
	if network {
		return 1e-3 // from Adam's paper; weights are about 1/√inputs
	}
	return 0.1
}

// rateOfMomentum returns a rate at which the first step moves the coordinate with the steepest slope by .1, or by .005
// for networks, whose weights are about 1/√inputs. Momentum makes later steps up to ten times as long.
func rateOfMomentum(gradient []float64, network bool) float64 {
	first := 0.1
	if network {
		first = 0.005
	}
	return first / math.Max(largest(gradient), 1e-300)
}

// Cosine returns the rate at iteration k of n: from full down to 0 along half a cosine (Loshchilov and Hutter 2017).
func Cosine(full float64, k, n int) float64 {
	return full * (1 + math.Cos(math.Pi*float64(k)/float64(n))) / 2
}
