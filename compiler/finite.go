package compiler

import (
	"fmt"
	"math"

	"ppl/autodiff"
)

// tries is how many starting points NotFinite looks at.
const tries = 20

// NotFinite says which parts of the density keep it from being finite at starting points, where none of them has a finite one;
// else it says nothing.
func (p *Program) NotFinite(seed uint64) (parts []string) {
	g := autodiff.New()
	t := p.Terms(g.Input("theta", p.Dim()))
	nodes := []autodiff.Node{t.Prior, t.Jacobian, t.Likelihood}
	for _, r := range t.Rows {
		nodes = append(nodes, r.Node)
	}
	var at [][]float64
	for try := range tries {
		at = autodiff.Eval(map[string][]float64{"theta": p.Start(seed, try)}, nodes...)
		if isFinite(at[0][0] + at[1][0] + at[2][0]) {
			return nil
		}
	}
	if x := at[0][0] + at[1][0]; !isFinite(x) {
		parts = append(parts, fmt.Sprintf("the log prior is %v", x))
	}
	for i, r := range t.Rows {
		if s := badRows(at[3+i]); s != "" {
			parts = append(parts, fmt.Sprintf("the log likelihood of `%s` is %s", r.Name(), s))
		}
	}
	return parts
}

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// badRows tells how many rows are not finite, and which is the first.
func badRows(rows []float64) string {
	bad, first := 0, -1
	for i, x := range rows {
		if !isFinite(x) {
			if bad++; first < 0 {
				first = i
			}
		}
	}
	switch {
	case bad == 0:
		return ""
	case len(rows) == 1:
		return fmt.Sprint(rows[0])
	}
	return fmt.Sprintf("%v in %d of %d rows, row %d first", rows[first], bad, len(rows), first+1)
}
