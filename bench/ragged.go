package bench

import (
	"math"
	"math/rand/v2"
	"slices"
)

// A Sequences is a model of groups or sequences of different lengths, in two forms with the same density: with ragged
// arrays (models/ragged), and with rectangular arrays as wide as the longest sequence (models/padded).
type Sequences struct {
	Name    string
	groups  int
	longest int
	values  map[string]func(r *rand.Rand) float64 // maps a ragged array to a generator of its elements
}

// AllSequences returns the models that are timed in both forms.
func AllSequences() []Sequences {
	type arrays = map[string]func(r *rand.Rand) float64
	normal := (*rand.Rand).NormFloat64
	word := func(r *rand.Rand) float64 { return float64(1 + r.IntN(30)) }
	floor := func(r *rand.Rand) float64 { return float64(r.IntN(2)) }
	return []Sequences{
		{"radon", 85, 116, arrays{"floor": floor, "y": normal}},
		{"garch", 40, 120, arrays{"y": normal}},
		{"hmm", 60, 60, arrays{"y": normal}},
		{"topics", 50, 100, arrays{"y": word}},
		{"choice", 400, 20, arrays{"price": normal, "time": normal}},
	}
}

// lengths returns lengths with a long tail, like the numbers of homes per county: half of the groups are shorter than a
// tenth of the longest.
func (s Sequences) lengths(r *rand.Rand) []int {
	m := make([]int, s.groups)
	for j := range m {
		m[j] = max(2, int(float64(s.longest)*math.Pow(r.Float64(), 3.3)))
	}
	m[0] = s.longest
	return m
}

// Forms returns the two forms with the same data. Rectangular arrays are padded with 1.
func (s Sequences) Forms() (ragged, padded Case) {
	r := rand.New(rand.NewPCG(1, 2))
	m := s.lengths(r)
	ragged = Case{Name: "ragged/" + s.Name, Data: map[string]any{"m": m}}
	padded = Case{Name: "padded/" + s.Name, Data: map[string]any{"m": m}}
	names := []string{}
	for name := range s.values {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		var lists, rows [][]float64
		for _, n := range m {
			row := slices.Repeat([]float64{1}, s.longest)
			for i := range n {
				row[i] = s.values[name](r)
			}
			lists, rows = append(lists, row[:n]), append(rows, row)
		}
		ragged.Data[name], padded.Data[name] = lists, rows
	}
	if s.Name == "choice" {
		chosen := make([]int, len(m))
		for j, n := range m {
			chosen[j] = 1 + r.IntN(n)
		}
		ragged.Data["chosen"], padded.Data["chosen"] = chosen, chosen
	}
	return ragged, padded
}
