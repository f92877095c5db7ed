package infer

import (
	"fmt"
	"math"
	"slices"

	"ppl/lang/types"
)

// DivergesToInfinity returns the Refusal of a target whose walkers diverge to infinity along a coordinate. values holds
// the saved values of one of these walkers.
func DivergesToInfinity(t Target, coordinate int, values []float64) error {
	if cs := CoordinatesOf(t); cs != nil {
		return divergesAlong(t, cs[coordinate], values)
	}
	name, most := "", -1.0
	eachValue(t, values, func(element string, x float64) {
		if math.Abs(x) > most {
			name, most = element, math.Abs(x)
		}
	})
	return toInfinity(name, most)
}

func divergesAlong(t Target, c types.Coordinate, values []float64) error {
	reached := math.NaN()
	eachValue(t, values, func(element string, x float64) {
		if element == c.Parameter {
			reached = x
		}
	})
	if !c.Bounded() || math.IsInf(reached, 0) {
		return toInfinity(c.Parameter, math.Abs(reached))
	}
	where := ""
	if !math.IsNaN(reached) {
		where = fmt.Sprintf(": it has reached %.3g during warm-up", reached)
	}
	return Refusal{Cause: fmt.Errorf("%s goes to the end of its support%s, so the posterior seems to be improper, or "+
		"to have its mass closer to that end than double precision can represent. The cause is a prior without a "+
		"finite integral there, such as Density(-log(s)), or a likelihood that is infinite there, as for a standard "+
		"deviation of identical data. Give %s a prior that keeps it away from the end, such as Gamma(2, 1)",
		c.Parameter, where, c.Parameter)}
}

func toInfinity(name string, reached float64) error {
	return Refusal{Cause: fmt.Errorf("%s diverges to infinity: it has reached %.1g during warm-up, so the posterior "+
		"seems to be improper. The cause is an improper prior (`Flat`, `Density`) where the data do not constrain the "+
		"parameter, as in a logistic regression that separates its classes. Give %s a proper prior; if its values are "+
		"really that large, measure it in larger units", name, reached, name)}
}

// eachValue calls do for each element of the saved values of a draw.
func eachValue(t Target, values []float64, do func(element string, x float64)) {
	k := 0
	for _, v := range t.Saved() {
		for i := range v.Size() {
			do(v.Element(i), values[k])
			k++
		}
	}
}

// DoesNotFall returns the Refusal of a target whose density does not fall as a coordinate goes to its upper end (up) or
// to its lower end.
func DoesNotFall(t Target, coordinate int, up bool) error {
	c := coordinateOf(t, coordinate)
	return Refusal{Cause: fmt.Errorf("the posterior is improper: its density does not fall off as %s goes to %s. The "+
		"cause is a prior without a finite integral (`Flat`, `Density`) where the data do not constrain the "+
		"parameter. "+
		"Give %s a proper prior", c.Parameter, c.Goes(up), c.Parameter)}
}

// NotIntegrable returns the Refusal of a target whose marginal density of a coordinate does not fall towards the
// coordinate's upper end (up) or lower end.
func NotIntegrable(t Target, coordinate int, up bool) error {
	c, such := coordinateOf(t, coordinate), ""
	if c.Lower && !c.Upper {
		such = ", such as LogNormal(0, 1)"
	}
	return Refusal{Cause: fmt.Errorf("the posterior is improper, or has its mass closer to an end than double "+
		"precision can represent: as %s goes to %s, the integral over the other parameters does not fall off. "+
		"The cause is a likelihood that is infinite there, as for a standard deviation of identical data, or of "+
		"data that the model fits exactly; or a prior without a finite integral there. Give %s a prior that falls off "+
		"faster than any power towards that end%s", c.Parameter, c.Goes(up), c.Parameter, such)}
}

// ParametersOf returns the names of the parameters to which coordinates belong.
func ParametersOf(t Target, coordinates []int) (names []string) {
	for _, j := range coordinates {
		if name := coordinateOf(t, j).Parameter; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func coordinateOf(t Target, coordinate int) types.Coordinate {
	if cs := CoordinatesOf(t); cs != nil {
		return cs[coordinate]
	}
	if saved := t.Saved(); len(saved) == 1 && saved[0].Size() == t.Dim() {
		return types.Coordinate{Parameter: saved[0].Element(coordinate)}
	}
	return types.Coordinate{Parameter: fmt.Sprintf("coordinate %d", coordinate+1)}
}
