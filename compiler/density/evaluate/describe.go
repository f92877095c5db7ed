package evaluate

import (
	"math"
	"slices"
	"strconv"

	"ppl/compiler/frontend/model"
	"ppl/lang/types"
)

// Describe returns the description of an array for the run directory.
func (e *Evaluator) Describe(a *model.Array) types.Variable {
	v := types.Variable{Name: a.Name, Int: (a.Type.Elem != types.Real || a.NeedInt) && !drawnReal(a)}
	if r := a.Type.Range; !math.IsInf(r.Lo, 0) && !math.IsInf(r.Hi, 0) && r.Lo < r.Hi {
		v.Between = []float64{r.Lo, r.Hi}
	}
	for _, s := range a.Type.Axes {
		b := e.Box(s)
		v.Shape = append(v.Shape, b.Size())
		v.Dims = append(v.Dims, s.Name)
		v.First = append(v.First, b.Lo)
		v.Label = append(v.Label, e.Labels(s, b))
	}
	return v
}

// drawnReal reports whether replicates of an array are real numbers although its data are integers.
func drawnReal(a *model.Array) bool {
	return a.Replicates != nil && slices.ContainsFunc(a.Pieces, func(p *model.Piece) bool {
		return p.Term == nil || p.Term.Dist == nil || !p.Term.Dist.Discrete()
	})
}

// Labels returns the names of an axis's elements if its set has names; elements beyond the names have their numbers.
func (e *Evaluator) Labels(s *model.Set, b Box) []string {
	all := e.labelsOf(s)
	if len(all) == 0 || b.Lo < 1 {
		return nil
	}
	names := make([]string, b.Size())
	for i := range names {
		if at := b.Lo + i; at <= len(all) {
			names[i] = all[at-1]
		} else {
			names[i] = strconv.Itoa(at)
		}
	}
	return names
}
