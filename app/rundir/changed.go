package rundir

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ppl/compiler"
	"ppl/lang/types"
	"ppl/posterior/store"
)

// ChangedData describes how the model's current data differ from those of a run: for each array the first element that
// differs, as in "`y[3]` is 5, and was 4". It returns nothing if the data are equal.
func ChangedData(run *store.Run, options Options, now *compiler.Program) (all []string, err error) {
	for _, g := range []struct {
		arrays []store.Observed
		then   func(string) ([]float64, error)
		now    func() ([]types.Variable, [][]float64)
	}{{run.Layout.Observed, run.ObservedData, now.Observed}, {run.Layout.Constant, run.ConstantData, now.Constants}} {
		vars, values := g.now()
		for _, o := range g.arrays {
			k := slices.IndexFunc(vars, func(v types.Variable) bool { return v.Name == o.Name })
			if k < 0 {
				all = append(all, fmt.Sprintf("`%s` is no longer among the data", o.Name))
				continue
			}
			then, err := g.then(o.Name)
			if err != nil {
				return nil, err
			}
			if text := FirstChange(o.Variable, then, vars[k], values[k]); text != "" {
				all = append(all, text)
			}
		}
	}
	if len(all) == 0 && now.Streams() > 0 {
		digests, err := DigestsOf(now)
		if err == nil && digests.Data != options.Digests.Data {
			all = append(all, "values in files too large for memory have changed")
		}
	}
	return all, nil
}

// FirstChange describes the first difference between two arrays, as in "`y[3]` is 5, and was 4". It returns "" if they
// are equal.
func FirstChange(old types.Variable, then []float64, v types.Variable, now []float64) string {
	if !slices.Equal(old.Shape, v.Shape) {
		return fmt.Sprintf("`%s` has shape %v, and had %v", v.Name, v.Shape, old.Shape)
	}
	count, first := 0, -1
	for i := range now {
		if now[i] == then[i] || math.IsNaN(now[i]) && math.IsNaN(then[i]) {
			continue
		}
		count++
		if first < 0 {
			first = i
		}
	}
	for k := range v.Shape {
		if first < 0 && !slices.Equal(old.LabelsOf(k), v.LabelsOf(k)) {
			return fmt.Sprintf("the elements of `%s` have other names", v.Name)
		}
	}
	switch {
	case first < 0:
		return ""
	case count == 1:
		return fmt.Sprintf("`%s` is %g, and was %g", v.Element(first), now[first], then[first])
	}
	return fmt.Sprintf("`%s` is %g, and was %g (%d elements of `%s` have changed)", v.Element(first), now[first],
		then[first], count, v.Name)
}

// ChangedLine describes the first line in which two texts of a model differ. It returns "" if they are equal.
func ChangedLine(then, now string) string {
	old, lines := strings.Split(then, "\n"), strings.Split(now, "\n")
	at := func(all []string, i int) string {
		if i < len(all) {
			return strings.TrimSpace(all[i])
		}
		return ""
	}
	for i := range max(len(old), len(lines)) {
		if a, b := at(old, i), at(lines, i); a != b {
			return fmt.Sprintf("line %d of the model is `%s`, and was `%s`", i+1, b, a)
		}
	}
	return ""
}
