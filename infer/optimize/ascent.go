package optimize

import "math"

// A Rule of first order moves x uphill along a gradient, which may be noisy.
type Rule interface {
	// Move changes x in place by a step of a rate.
	Move(x, gradient []float64, rate float64)
}

// Momentum is gradient ascent with momentum .9: v ← .9 v + g, x ← x + rate·v.
type Momentum struct{ v []float64 }

// NewMomentum is at rest.
func NewMomentum(dim int) *Momentum { return &Momentum{make([]float64, dim)} }

// Move is one step.
func (m *Momentum) Move(x, gradient []float64, rate float64) {
	const keep = 0.9
	for i, g := range gradient {
		m.v[i] = keep*m.v[i] + g
		x[i] += rate * m.v[i]
	}
}

// Adam scales each coordinate's step by running means of its gradient and of its square, with the constants of Kingma
// and Ba.
type Adam struct {
	Steps         float64
	Means, Powers []float64 // by coordinate: running means of the gradient and of its square
	Epsilon       float64
}

// NewAdam has seen nothing.
func NewAdam(dim int) *Adam {
	return &Adam{Means: make([]float64, dim), Powers: make([]float64, dim), Epsilon: 1e-8}
}

// Move is one step.
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

// Cosine is the rate at iteration k of n: from full down to 0 along half a cosine (Loshchilov and Hutter 2017).
func Cosine(full float64, k, n int) float64 {
	return full * (1 + math.Cos(math.Pi*float64(k)/float64(n))) / 2
}

// ascend moves all starts at once by a rule, each with a rate of its own, and keeps the best point of each; with
// minibatches, whose densities do not show which point is better, the last.
func (p *problem) ascend(starts [][]float64, o Options, rule func(dim int) Rule) ([]End, error) {
	entry := "evaluate"
	if o.Batch > 0 {
		entry = "minibatch"
	}
	climbers := make([]*climber, len(starts))
	for k, x := range starts {
		climbers[k] = &climber{x: append([]float64(nil), x...), rate: o.Rate, make: rule, noisy: o.Batch > 0}
	}
	at := make([][]float64, len(starts))
	for i := range o.Iterations {
		for k, c := range climbers {
			at[k] = c.x
		}
		here, err := p.look(entry, at)
		if err != nil {
			return nil, err
		}
		for k, c := range climbers {
			c.move(here[k], i, o.Iterations)
		}
	}
	return p.ends(climbers)
}

// ends are the best points with their densities, of all data.
func (p *problem) ends(climbers []*climber) ([]End, error) {
	var at [][]float64
	for _, c := range climbers {
		at = append(at, c.best)
	}
	here, err := p.evaluate(at)
	var ends []End
	for k := range here {
		ends = append(ends, End{Theta: at[k], LogDensity: here[k].total(), Iterations: p.options.Iterations})
	}
	return ends, err
}

// A climber is one start under a rule.
type climber struct {
	x     []float64
	rate  float64
	make  func(dim int) Rule
	rule  Rule
	noisy bool // densities are estimates
	best  []float64
	top   float64 // log density at best
	lost  int     // iterations since it was best
}

// stallLimit is for how many steps a climber may stay below its best point before it returns there with half the rate.
const stallLimit = 50

func (c *climber) move(here point, i, n int) {
	if c.rule == nil {
		c.begin(here)
	}
	sane := !math.IsInf(here.total(), 0) && finite(here.gradient)
	if sane && (c.noisy || here.total() > c.top) {
		c.best, c.top, c.lost = append(c.best[:0], c.x...), here.total(), 0
	} else if c.lost++; c.lost > stallLimit || !sane {
		copy(c.x, c.best)
		c.rate, c.rule, c.lost = c.rate/2, c.make(len(c.x)), 0
		return // the gradient at best comes with the next evaluation
	}
	c.rule.Move(c.x, here.gradient, Cosine(c.rate, i, n))
}

// begin chooses a rate where none is given: adam moves by about its rate, momentum is to move by a tenth at first.
func (c *climber) begin(here point) {
	c.rule, c.top, c.best = c.make(len(c.x)), math.Inf(-1), append([]float64(nil), c.x...)
	if c.rate > 0 {
		return
	}
	c.rate = 0.1
	if _, plain := c.rule.(*Momentum); plain {
		most := 0.0
		for _, g := range here.gradient {
			most = math.Max(most, math.Abs(g))
		}
		c.rate = 0.1 / math.Max(most, 1e-300)
	}
}
