package content

import (
	"math"
	"sort"
	"strings"

	"ppl/numbers"
)

// Encode replaces strings, made visible, by their 1-based positions among the sorted distinct ones; missing entries
// become NaN.
func Encode(list []string, missing []bool) (labels []string, codes numbers.List) {
	var t Texts
	for i, s := range list {
		t.Add(s, missing[i])
	}
	return t.Encoded()
}

// Texts are a column of texts as they come, each distinct one once.
type Texts struct {
	Numbers map[string]int32 // from 1, in the order in which they came
	codes   []int32          // 0 if one is missing
}

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
			t.Numbers[strings.Clone(s)] = code // without the row that it stood in
		}
	}
	t.codes = append(t.codes, code)
}

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

// SetLevels gives a column of texts categories. Texts that are none of them leave it as it is.
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

func AllVisible(texts []string) (all []string) {
	for _, t := range texts {
		all = append(all, Visible(t))
	}
	return all
}

// Distinct returns texts without those that have been there before.
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

func MissingIn(values []float64) []bool {
	m := make([]bool, len(values))
	for i, v := range values {
		m[i] = math.IsNaN(v)
	}
	return m
}
