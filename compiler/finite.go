package compiler

import (
	"fmt"
	"math"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/density/evaluate"
	"ppl/lang/types"
)

// tries is the largest number of starting points that NotFinite examines.
const tries = 20

// NotFinite describes which parts of the density are not finite at the last examined starting point. It returns nil if
// the density is finite at one of the points, or if rows are streamed from a file.
func (p *Program) NotFinite(seed uint64) (parts []string) {
	if p.Streams() > 0 { // this would need all rows at once
		return nil
	}
	all := p.parts()
	for try := range tries {
		parts = all.notFinite(p.Start(seed, try))
		if len(parts) == 0 {
			return nil
		}
	}
	return parts
}

// NotFiniteAt describes which parts of the density are not finite at the first of the points where some are not, and
// returns the index of this point, or −1 if there is none. With large data it examines only the first points, and none
// if rows are streamed from a file.
func (p *Program) NotFiniteAt(points [][]float64) (first int, parts []string) {
	if p.Streams() > 0 {
		return -1, nil
	}
	all := p.parts()
	for k, theta := range points[:min(len(points), 1+evaluationBudget/(1+all.size()))] {
		if parts := all.notFinite(theta); len(parts) > 0 {
			return k, parts
		}
	}
	return -1, nil
}

// notFinite describes which parts are not finite at a point.
func (all *parts) notFinite(theta []float64) (parts []string) {
	at := all.values(theta)
	for _, i := range all.bad(at) {
		text := fmt.Sprintf("%s is %s", all.terms[i].Part, badRows(at[i]))
		if help := all.terms[i].Help; help != "" {
			text += ": " + help
		}
		parts = append(parts, text)
	}
	return parts
}

// evaluationBudget is the approximate number of elements of graph nodes that NonFiniteTerms and NotFiniteAt evaluate,
// about one second of work.
const evaluationBudget = 1 << 21

// NonFiniteTerms returns the parts of the model that are not finite at points where a sampler found the log density or
// its gradient not finite, with the number of points for each. Points at which every part is finite are not counted.
// With large data it evaluates only the first points; looked is their number.
func (p *Program) NonFiniteTerms(points [][]float64) (found []types.NonFiniteTerm, looked int) {
	if len(points) == 0 || p.Streams() > 0 {
		return nil, 0
	}
	all := p.parts()
	looked = min(len(points), 1+evaluationBudget/(1+all.size()))
	for _, theta := range points[:looked] {
		values := all.values(theta)
		bad := all.bad(values)
		if len(bad) == 0 {
			bad = all.bad(all.gradients(theta))
		}
		for _, i := range bad {
			all.terms[i].Points++
			if isZero(values[i]) {
				all.terms[i].Zeros++
			}
		}
	}
	for _, c := range all.terms {
		if c.Points > 0 {
			found = append(found, c)
		}
	}
	slices.SortStableFunc(found, func(a, b types.NonFiniteTerm) int { return b.Points - a.Points })
	return found, looked
}

// parts holds the terms of a log density as nodes of one graph, preceded by the solutions of differential equations
// that they read.
type parts struct {
	theta autodiff.Node
	terms []types.NonFiniteTerm // descriptions, with counts of 0
	nodes []autodiff.Node
	grads []autodiff.Node // gradients, computed on first use
}

func (p *Program) parts() *parts {
	theta := autodiff.New().Input("theta", p.Dim())
	t := p.Terms(theta)
	all := &parts{theta: theta}
	add := func(name string, n autodiff.Node) {
		all.terms, all.nodes = append(all.terms, types.NonFiniteTerm{Part: name}), append(all.nodes, n)
	}
	for k, s := range t.Solutions {
		add("the solution of "+s.System.Names(), autodiff.Sum(s.Node, 1))
		all.terms[k].Help = unreached(s)
	}
	for _, r := range t.Priors {
		add(fmt.Sprintf("the log prior of `%s`", r.Name()), r.Node)
	}
	add("the log-Jacobian of the constraints", t.Jacobian)
	for _, r := range t.Rows {
		add(fmt.Sprintf("the log likelihood of `%s`", r.Name()), r.Node)
	}
	return all
}

// unreached returns the error and the advice for a solver that exceeded its maximum number of steps.
func unreached(s evaluate.Solution) string {
	text, more := "the solver did not reach all requested times within its maximum number of steps", 2000
	if s.Steps > 0 {
		text, more = fmt.Sprintf("%s (%d)", text, s.Steps), 3*s.Steps
	}
	text += fmt.Sprintf("; `infer ode(max_steps = %d)` raises the maximum", more)
	if s.System.Options["method"] != "bdf" {
		text += ", and stiff equations need fewer steps with `method = bdf`"
	}
	return text
}

// size returns the number of elements of all nodes in the graph of the parts.
func (all *parts) size() int {
	n := 0
	for _, x := range all.theta.Graph().Nodes() {
		n += x.Size()
	}
	return n
}

func (all *parts) values(theta []float64) [][]float64 {
	return autodiff.Eval(map[string][]float64{"theta": theta}, all.nodes...)
}

func (all *parts) gradients(theta []float64) [][]float64 {
	if all.grads == nil {
		for _, n := range all.nodes {
			all.grads = append(all.grads, autodiff.Grad(autodiff.SumAll(n), all.theta)[0])
		}
	}
	return autodiff.Eval(map[string][]float64{"theta": theta}, all.grads...)
}

// bad returns the parts with an element that is not finite.
func (all *parts) bad(at [][]float64) (out []int) {
	for i, rows := range at {
		if slices.ContainsFunc(rows, func(x float64) bool { return !isFinite(x) }) {
			out = append(out, i)
		}
	}
	return out
}

// isZero reports whether log densities contain −∞ but neither +∞ nor NaN: the density is 0.
func isZero(logs []float64) bool {
	return len(logs) > 0 && slices.Min(logs) == math.Inf(-1) && slices.Max(logs) < math.Inf(1)
}

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// badRows describes the rows that are not finite: their number and the first of them.
func badRows(rows []float64) string {
	bad, first := 0, -1
	for i, x := range rows {
		if !isFinite(x) {
			bad++
			if first < 0 {
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
