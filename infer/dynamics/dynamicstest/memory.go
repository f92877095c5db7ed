package dynamicstest

import (
	"ppl/infer"
	"ppl/lang/types"
)

// A Memory is an infer.Recorder that stores draws and their statistics, indexed by chain, draw and element.
type Memory struct {
	Names         []types.Variable // descriptions of the statistics
	Values, Stats [][][]float64
	OnDraw        func(n int) // called with the number of draws so far; may be nil
	n             int
}

// Begin stores the description of the statistics.
func (m *Memory) Begin(stats []types.Variable) error {
	m.Names = stats
	return nil
}

// Draw stores copies of the draw and its statistics.
func (m *Memory) Draw(chain int, values, stats []float64) error {
	for len(m.Values) <= chain {
		m.Values, m.Stats = append(m.Values, nil), append(m.Stats, nil)
	}
	m.Values[chain] = append(m.Values[chain], append([]float64(nil), values...))
	m.Stats[chain] = append(m.Stats[chain], append([]float64(nil), stats...))
	m.n++
	if m.OnDraw != nil {
		m.OnDraw(m.n)
	}
	return nil
}

// Progress does nothing.
func (m *Memory) Progress(infer.Progress) {}

// Chains returns f of the values of each draw, by chain.
func (m *Memory) Chains(f func(x []float64) float64) [][]float64 { return chains(m.Values, f) }

// Stat returns the statistic with this name, by chain.
func (m *Memory) Stat(name string) [][]float64 {
	for j, v := range m.Names {
		if v.Name == name {
			return chains(m.Stats, func(x []float64) float64 { return x[j] })
		}
	}
	return nil
}

func chains(all [][][]float64, f func(x []float64) float64) [][]float64 {
	out := make([][]float64, len(all))
	for c, xs := range all {
		for _, x := range xs {
			out[c] = append(out[c], f(x))
		}
	}
	return out
}
