package compiler

import (
	"fmt"
	"math"
	"slices"

	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/datasets/dataset"
	"ppl/lang/diag"
	"ppl/lang/types"
	"ppl/numbers"
)

// valuesOf returns the values of parameters at a point. Values with names in their file, {"a": {"Oslo": 1, "Bergen":
// 2}}, are sorted into the order of the elements.
func (p *Program) valuesOf(at map[string]*content.Array) (map[string]dataset.Array, error) {
	values := map[string]dataset.Array{}
	for name, a := range at {
		if a.Unread != nil {
			return nil, a.Unread
		}
		values[name] = dataset.Array{Shape: a.Shape, Values: a.Values}
		if a.Keys == nil {
			continue
		}
		i := slices.IndexFunc(p.Saved(), func(v types.Variable) bool { return v.Name == name })
		if i < 0 {
			continue // an unknown parameter, for which another error is reported
		}
		placed, err := byNames(p.Saved()[i], a)
		if err != nil {
			return nil, err
		}
		values[name] = placed
	}
	return values, nil
}

// byNames sorts values with names into the order of the elements of a variable.
func byNames(v types.Variable, a *content.Array) (out dataset.Array, err error) {
	names := len(a.Keys)
	if names > len(v.Shape) || !slices.Equal(a.Shape[1:], v.Shape[names:]) {
		return out, fmt.Errorf("`%s` has shape %v, but the values have names for %d axes and shape %v for each name",
			v.Name, v.Shape, names, a.Shape[1:])
	}
	inner := 1
	for _, n := range a.Shape[1:] {
		inner *= n
	}
	values := make([]float64, v.Size())
	for i := range values {
		values[i] = math.NaN()
	}
	for row := range a.Shape[0] {
		place := 0
		for k, keys := range a.Keys {
			elements := make([]string, v.Shape[k])
			for e := range elements {
				elements[e] = v.Place(k, e)
			}
			at := slices.Index(elements, keys[row])
			if at < 0 {
				err := fmt.Errorf("`%s` has no element %q", v.Name, keys[row])
				if near, ok := diag.Nearest(keys[row], elements); ok {
					err = fmt.Errorf("%w; %s", err, diag.Meant("%q", near))
				}
				return out, err
			}
			place = place*v.Shape[k] + at
		}
		for i := range inner {
			values[place*inner+i] = a.Values.At(row*inner + i)
		}
	}
	if at := slices.IndexFunc(values, math.IsNaN); at >= 0 {
		return out, fmt.Errorf("there is no value for %s", v.Element(at))
	}
	return dataset.Array{Shape: v.Shape, Values: numbers.Of(values...)}, nil
}
