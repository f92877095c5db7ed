package infer

import (
	"fmt"
	"math"
)

// DivergesToInfinity is the refusal of a target whose walkers move off without end, by what is saved of one of them.
func DivergesToInfinity(t Target, values []float64) error {
	name, most, k := "", -1.0, 0
	for _, v := range t.Saved() {
		for i := range v.Size() {
			if x := math.Abs(values[k]); x > most {
				name, most = v.Element(i), x
			}
			k++
		}
	}
	return Refusal{Cause: fmt.Errorf("%s diverges to infinity: it has reached %.1g within warm-up, so the posterior "+
		"seems to be improper. The cause is an improper prior (`Flat`, `Density`) where the data do not constrain the "+
		"parameter, as in a logistic regression that separates its classes. Give it a proper prior; if its values are "+
		"really that large, measure it in larger units", name, most)}
}
