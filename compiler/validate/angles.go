package validate

import (
	"fmt"
	"math"

	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// Angles are in radians; the circular distributions expect values from -pi to pi.

// angleHelp advises how to convert the angles of an array to -pi to pi, from 0 to 2 pi or from degrees.
func angleHelp(e *evaluate.Evaluator, a *model.Array) string {
	most := 0.0
	if data, ok := e.Data.Arrays[a]; ok && data.Stream == nil {
		for _, v := range data.Values.All() {
			most = math.Max(most, math.Abs(v)) // Max returns NaN for a missing value
		}
	}
	const slack = 1.001 // 6.284 is 2 pi rounded
	half, factor, unit := "pi", "", "0 to 2 pi"
	if most > 2*math.Pi*slack || most == 0 {
		half, factor, unit = "180", " * pi / 180", "degrees"
	}
	turn := map[string]string{"pi": "2 * pi", "180": "360"}[half]
	return fmt.Sprintf("to convert angles in %s, write a definition, such as `angle = [i in N: (%s[i] > %s ? %s[i] - "+
		"%s : %s[i])%s]`, and observe it", unit, a.Name, half, a.Name, turn, a.Name, factor)
}

// warnDegrees warns about a mean of angles that seems to be in degrees: data beyond a full turn, or a parameter whose
// prior covers several turns. Other expressions may well exceed a turn, like the angle of a wheel over time.
func warnDegrees(e *evaluate.Evaluator, t *model.Term) {
	if t.Dist.Name != "VonMises" {
		return
	}
	r := &ranges{data: e.Data, definitions: map[*model.Array]outer{}}
	for _, x := range summands(t.Args[0]) {
		a := plainArray(x)
		if a == nil {
			continue
		}
		all := r.array(a)
		width, most := all.Hi-all.Lo, math.Max(math.Abs(all.Lo), math.Abs(all.Hi))
		switch {
		case !all.known || math.IsInf(width, 0) || most > 720:
		case a.Role == model.Data && most > 2*math.Pi*1.001:
			e.Diags.Warnf(diag.WrongScale, x.Info().At, "the mean of `VonMises` is in radians, and `%s` has "+
				"absolute values up to %g", a.Name, most).Related(a.At, "the data").
				Help("if it is in degrees, write `%s * pi "+
					"/ 180`",
					x.Info().At.Text())
		case a.Role == model.Parameter && width > 4*math.Pi:
			e.Diags.Warnf(diag.WrongScale, x.Info().At, "the mean of `VonMises` is in radians, and `%s` is in %s..%s, "+
				"several turns; a full turn does not change the density", a.Name, evaluate.EndText(all.Lo),
				evaluate.EndText(all.Hi)).
				Related(a.At, "the prior").Help("write `%s ~ Uniform(-pi, pi)`", a.Name)
		}
	}
}

// plainArray returns the array if x is a data array, a parameter, or an element of one, or nil.
func plainArray(x model.Expr) *model.Array {
	if sub, ok := x.(*model.Subscript); ok {
		x = sub.X
	}
	ref, ok := x.(*model.Ref)
	if !ok || ref.Array.Role != model.Data && ref.Array.Role != model.Parameter {
		return nil
	}
	return ref.Array
}
