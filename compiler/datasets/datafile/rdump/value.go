package rdump

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"ppl/compiler/datasets/datafile/content"
	"ppl/numbers"
)

// An rValue is a vector of numbers or of texts, or a list, with attributes.
type rValue struct {
	numbers    []float64
	texts      []string // elements of a vector of texts; numbers is NaN for missing texts
	text, list bool
	scalar     bool // whether it was written without c(…)
	items      []*rValue
	names      []string // names of items or elements; "" for those without a name
	attributes map[string]*rValue
}

func (v *rValue) length() int {
	if v.list {
		return len(v.items)
	}
	return len(v.numbers)
}

// nameOf returns the name of an item or element, from the attribute names or from before the item; "" if it has none.
func (v *rValue) nameOf(i int) string {
	if names := v.attributes["names"]; names != nil && i < len(names.texts) {
		return names.texts[i]
	}
	if i < len(v.names) {
		return v.names[i]
	}
	return ""
}

func (v *rValue) is(class string) bool {
	of := v.attributes["class"]
	return of != nil && slices.Contains(of.texts, class)
}

// shaped returns a vector as an array with the shape of its attributes. Names of elements become Keys if they are
// distinct.
func (v *rValue) shaped(name, origin string) (*content.Array, error) {
	dims := cmp.Or(v.attributes[".Dim"], v.attributes["dim"])
	a := v.array(name, origin)
	switch {
	case dims != nil:
		a.Shape = make([]int, len(dims.numbers))
		for i, n := range dims.numbers {
			a.Shape[i] = int(n)
		}
		values, err := rowMajor(a.Values.Doubles(), a.Shape)
		if err != nil {
			return nil, err
		}
		a.Values = numbers.Packed(values)
	case v.scalar:
		a.Shape = nil
	case len(v.names) > 0 || v.attributes["names"] != nil:
		keys := make([]string, v.length())
		for i := range keys {
			keys[i] = content.Visible(v.nameOf(i))
		}
		if named := slices.Sorted(slices.Values(keys)); !slices.Contains(keys, "") &&
			len(slices.Compact(named)) == len(keys) {
			a.Keys = [][]string{keys}
		}
	}
	return a, nil
}

// array returns a vector as an array with one axis. A factor has its levels, and dates are days.
func (v *rValue) array(name, origin string) *content.Array {
	a := &content.Array{Name: name, Shape: []int{v.length()}, Origin: origin, Int: true}
	values := v.numbers
	switch levels := v.levels(); {
	case levels != nil:
		texts := make([]string, len(values))
		for i, code := range values {
			if code >= 1 && code <= float64(len(levels)) {
				texts[i] = levels[int(code)-1]
			}
		}
		a.Labels, a.Values = content.Encode(texts, content.MissingIn(values))
		a.SetLevels(content.AllVisible(levels), true) // in R, the order of the levels of every factor has a meaning
		return a
	case v.text:
		a.Labels, a.Values = content.Encode(v.texts, content.MissingIn(values))
		return a
	case v.is("POSIXct"):
		values = slices.Clone(values)
		for i := range values {
			values[i] /= 86400
		}
		a.Days = true
	case v.is("Date"):
		a.Days = true
	}
	for _, x := range values {
		a.Int = a.Int && (math.IsNaN(x) || x == float64(int64(x)))
	}
	a.Values = numbers.Packed(values)
	return a
}

// levels returns the levels of a factor, whose attribute is .Label in old versions of R; nil for other vectors.
func (v *rValue) levels() []string {
	if levels := cmp.Or(v.attributes["levels"], v.attributes[".Label"]); levels != nil && levels.text && !v.text {
		return levels.texts
	}
	return nil
}

// rowMajor returns values in row-major order. In the argument the index of the first axis changes fastest.
func rowMajor(values []float64, shape []int) ([]float64, error) {
	total := 1
	for _, n := range shape {
		if n < 0 || n > len(values) {
			return nil, fmt.Errorf("the shape %v does not fit %d numbers", shape, len(values))
		}
		total *= n
	}
	if total != len(values) {
		return nil, fmt.Errorf("the shape %v needs %d numbers, but there are %d", shape, total, len(values))
	}
	out := make([]float64, len(values))
	at := make([]int, len(shape))
	for i := range out {
		from, stride := 0, 1
		for k, n := range shape {
			from += at[k] * stride
			stride *= n
		}
		out[i] = values[from]
		for k := len(shape) - 1; k >= 0; k-- {
			at[k]++
			if at[k] < shape[k] {
				break
			}
			at[k] = 0
		}
	}
	return out, nil
}
