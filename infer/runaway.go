package infer

import (
	"fmt"
	"math"
)

// RunsOff is the refusal of a target whose walkers run off without end, by what is saved of one of them.
func RunsOff(t Target, values []float64) error {
	name, most, k := "", -1.0, 0
	for _, v := range t.Saved() {
		for i := range v.Size() {
			if x := math.Abs(values[k]); x > most {
				name, most = v.Element(i), x
			}
			k++
		}
	}
	return Refusal{Cause: fmt.Errorf("%s runs off without end, to %.1g within warm-up: the posterior seems to be "+
		"improper. The cause is a prior that is improper "+
		"(`Flat`, `Density`) where the data do not hold the parameter, as in a logistic regression that separates "+
		"its classes. Give it a proper prior; "+
		"if it is as large as that, measure it in larger units", name, most)}
}
