package compilertest

import (
	"math/rand/v2"

	"ppl/compiler"
	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/frontend/model"
	"ppl/numbers"
)

// Names returns the names of all variables that a program saves.
func Names(p *compiler.Program) (all []string) {
	for _, v := range p.Saved() {
		all = append(all, v.Name)
	}
	return all
}

// Size returns the number of values that a program saves with each draw.
func Size(p *compiler.Program) (n int) {
	for _, v := range p.Saved() {
		n += v.Size()
	}
	return n
}

// ByName splits the saved values of a draw by variable.
func ByName(p *compiler.Program, values []float64) map[string][]float64 {
	out := map[string][]float64{}
	at := 0
	for _, v := range p.Saved() {
		out[v.Name] = values[at : at+v.Size()]
		at += v.Size()
	}
	return out
}

// Parameters returns the parameters, and the missing data that are parameters, among the saved values of a draw.
func Parameters(p *compiler.Program, values []float64) map[string]*content.Array {
	out := map[string]*content.Array{}
	drawn := map[string]bool{}
	for _, a := range p.Model().Arrays {
		drawn[a.Name] = a.Role == model.Parameter || a.Role == model.Imputed
	}
	all := ByName(p, values)
	for _, v := range p.Saved() {
		if drawn[v.Name] {
			out[v.Name] = &content.Array{Name: v.Name, Shape: v.Shape, Values: numbers.Of(all[v.Name]...)}
		}
	}
	return out
}

// Completed completes a draw with the given parameters n times. It returns the means of all saved values, and the
// values of the last completion.
func Completed(p *compiler.Program, n int, r *rand.Rand, parameters ...float64) (means, last map[string][]float64) {
	means = map[string][]float64{}
	for range n {
		values := make([]float64, Size(p))
		copy(values, parameters)
		p.Complete(r, values)
		last = ByName(p, values)
		for name, v := range last {
			if means[name] == nil {
				means[name] = make([]float64, len(v))
			}
			for i, x := range v {
				means[name][i] += x / float64(n)
			}
		}
	}
	return means, last
}
