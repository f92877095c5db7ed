package content

import (
	"math"
	"sort"
	"strings"

	"ppl/numbers"
)

// Encode returns the distinct texts of a list, sorted and made visible (Visible), and the position of each text among
// them, from 1, or NaN if it is missing.
func Encode(list []string, missing []bool) (labels []string, codes numbers.List) {
	var t Texts
	for i, s := range list {
		t.Add(s, missing[i])
	}
	return t.Encoded()
}

// Texts collects the texts of a column. It stores each distinct text once.
type Texts struct {
	Numbers map[string]int32 // the number of each distinct text, from 1, in the order of first appearance
	codes   []int32          // the number of the text in each row; 0 if it is missing
}

// Add adds the text of the next row.
func (t *Texts) Add(s string, missing bool) {
	if t.Numbers == nil {
		t.Numbers = map[string]int32{}
	}
	code := int32(0)
	if !missing {
		s = Visible(s)
		code = t.Numbers[s]
		if code == 0 {
			code = int32(len(t.Numbers)) + 1
			t.Numbers[strings.Clone(s)] = code // a copy, so that the memory of the row can be freed
		}
	}
	t.codes = append(t.codes, code)
}

// Encoded returns the distinct texts, sorted, and the position of each row's text among them, from 1, or NaN if it is
// missing.
func (t *Texts) Encoded() (labels []string, codes numbers.List) {
	labels = make([]string, 0, len(t.Numbers))
	for s := range t.Numbers {
		labels = append(labels, s)
	}
	sort.Strings(labels)
	position := make([]float64, len(labels)+1)
	position[0] = math.NaN()
	for i, s := range labels {
		position[t.Numbers[s]] = float64(i + 1)
	}
	at := make([]float64, len(t.codes))
	for i, code := range t.codes {
		at[i] = position[code]
	}
	return labels, numbers.Packed(at)
}

// SetLevels sets the categories of a column of texts, unless a text is not a category. If they are ordered, it also
// replaces the labels by the categories.
func (a *Array) SetLevels(levels []string, ordered bool) {
	place := map[string]float64{}
	for i, c := range levels {
		place[c] = float64(i + 1)
	}
	for _, label := range a.Labels {
		if place[label] == 0 {
			return
		}
	}
	a.Levels = levels
	if !ordered {
		return
	}
	labels := a.Labels
	a.Values = a.Values.Map(func(v float64) float64 {
		if v != v {
			return v
		}
		return place[labels[int(v)-1]]
	})
	a.Labels, a.Ordered = levels, true
}

// AllVisible returns Visible of each text.
func AllVisible(texts []string) (all []string) {
	for _, t := range texts {
		all = append(all, Visible(t))
	}
	return all
}

// Distinct returns the distinct texts of a list, in the order of first appearance.
func Distinct(texts []string) (all []string) {
	seen := map[string]bool{}
	for _, text := range texts {
		if !seen[text] {
			seen[text] = true
			all = append(all, text)
		}
	}
	return all
}

// MissingIn reports which values are NaN.
func MissingIn(values []float64) []bool {
	m := make([]bool, len(values))
	for i, v := range values {
		m[i] = math.IsNaN(v)
	}
	return m
}
