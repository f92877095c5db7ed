package bind

import (
	"math"

	"ppl/compiler/frontend/model"
	"ppl/lang/types"
)

// A Known holds the elements of the index sets of a run, and the values of its data. A nil Known is empty.
type Known struct {
	names    map[string][]string // labels or numbers of the elements, by the name of the set
	labelled map[string]bool     // sets whose elements have labels
	data     []types.Variable
	value    func(name string) ([]float64, error) // returns the values of data, in row-major order

	Others string // for notes: how elements that are not in the run are treated
}

// KnownOf returns the elements of the axes of a run's variables and data, and of its sets; value returns the values of
// data.
func KnownOf(saved, data []types.Variable, sets []types.IndexSet, value func(name string) ([]float64, error)) *Known {
	known := &Known{names: map[string][]string{}, labelled: map[string]bool{}, data: data, value: value,
		Others: "parameters of new groups are drawn from their distribution"}
	for _, list := range [][]types.Variable{saved, data} {
		for _, v := range list {
			known.enter(v)
		}
	}
	for _, s := range sets { // a set need not be the axis of a variable
		if known.names[s.Name] == nil && s.Labels != nil {
			known.names[s.Name], known.labelled[s.Name] = s.Labels, true
		}
	}
	return known
}

// enter records the elements of the axes of a variable.
func (k *Known) enter(v types.Variable) {
	for axis, name := range v.Dims {
		if k.names[name] != nil || v.LabelsOf(axis) == nil && v.FirstOf(axis) != 1 {
			continue
		}
		k.names[name], k.labelled[name] = make([]string, v.Shape[axis]), v.LabelsOf(axis) != nil
		for i := range k.names[name] {
			k.names[name][i] = v.Place(axis, i)
		}
	}
}

// elements returns the labels or numbers of a set's elements in the run, or nil if they are not known.
func (k *Known) elements(s *model.Size) []string {
	if k == nil {
		return nil
	}
	return k.names[s.Name]
}

// values returns the run's values of a data array, embedded in a larger shape that is NaN elsewhere, or nil if the run
// does not hold them.
func (k *Known) values(name string, shape []int) []float64 {
	if k == nil {
		return nil
	}
	for _, v := range k.data {
		if v.Name != name || len(v.Shape) != len(shape) {
			continue
		}
		old, err := k.value(name)
		if err != nil {
			return nil
		}
		return embedded(old, v.Shape, shape)
	}
	return nil
}

// embedded returns an array of another shape that has the old values at the same subscripts, and NaN elsewhere.
func embedded(old []float64, from, to []int) []float64 {
	size := 1
	for _, n := range to {
		size *= n
	}
	all := make([]float64, size)
	for i := range all {
		all[i] = math.NaN()
	}
	for i, v := range old {
		at, inside, stride := 0, true, 1
		for k := len(from) - 1; k >= 0; k-- {
			p := i % from[k]
			i /= from[k]
			at, inside = at+p*stride, inside && p < to[k]
			stride *= to[k]
		}
		if inside {
			all[at] = v
		}
	}
	return all
}
