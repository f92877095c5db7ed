package flow

import "math"

// An adam makes steps of Adam (Kingma and Ba 2015): it scales each coordinate's step by running means of its gradient
// and of its square.
type adam struct {
	Steps         float64
	Means, Powers []float64 // running means of each coordinate's gradient, and of its square
}

// newAdam returns an adam before its first step.
func newAdam(dim int) *adam {
	return &adam{Means: make([]float64, dim), Powers: make([]float64, dim)}
}

// move moves x by one step uphill.
func (a *adam) move(x, gradient []float64, rate float64) {
	const beta1, beta2, epsilon = 0.9, 0.999, 1e-8
	a.Steps++
	c1, c2 := 1-math.Pow(beta1, a.Steps), 1-math.Pow(beta2, a.Steps)
	for i, g := range gradient {
		a.Means[i] += (1 - beta1) * (g - a.Means[i])
		a.Powers[i] += (1 - beta2) * (g*g - a.Powers[i])
		x[i] += rate * a.Means[i] / c1 / (math.Sqrt(a.Powers[i]/c2) + epsilon)
	}
}

// cosine returns the rate at iteration k of n: from full down to 0 along half a cosine (Loshchilov and Hutter 2017).
func cosine(full float64, k, n int) float64 {
	return full * (1 + math.Cos(math.Pi*float64(k)/float64(n))) / 2
}
