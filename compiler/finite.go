package compiler

import (
	"fmt"
	"math"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/density/evaluate"
	"ppl/lang/types"
)

// tries is how many starting points NotFinite looks at.
const tries = 20

// NotFinite reports which parts of the density keep it from being finite at starting points, where none of them has a
// finite one; else it says nothing.
func (p *Program) NotFinite(seed uint64) (parts []string) {
	if p.Streams() > 0 { // it would take all rows at once
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

// NotFiniteAt reports which parts of the density are not finite at the first of points where some are not, and which
// that is, −1 if there is none. With large data it looks at the first points only, or at none.
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

// notFinite reports which parts are not finite at a point.
func (all *parts) notFinite(theta []float64) (parts []string) {
	at := all.values(theta)
	for _, i := range all.bad(at) {
		text := fmt.Sprintf("%s is %s", all.is[i].Part, badRows(at[i]))
		if help := all.is[i].Help; help != "" {
			text += ": " + help
		}
		parts = append(parts, text)
	}
	return parts
}

// evaluationBudget is approximately how many numbers NonFiniteTerms evaluates, about one second of work.
const evaluationBudget = 1 << 21

// NonFiniteTerms names the parts of the model that are not finite at points where a sampler found the log density or
// its gradient not finite, and counts their points; points at which every part is finite are not counted. With large
// data it evaluates only some of the points; their number is `looked`.
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
			bad = all.bad(all.slopes(theta))
		}
		for _, i := range bad {
			all.is[i].Points++
			if isZero(values[i]) {
				all.is[i].Zeros++
			}
		}
	}
	for _, c := range all.is {
		if c.Points > 0 {
			found = append(found, c)
		}
	}
	slices.SortStableFunc(found, func(a, b types.NonFiniteTerm) int { return b.Points - a.Points })
	return found, looked
}

// parts are a log density's summands as nodes of one graph, after the solutions of differential equations that they
// read.
type parts struct {
	theta  autodiff.Node
	is     []types.NonFiniteTerm // none as yet
	nodes  []autodiff.Node
	pulled []autodiff.Node // gradients, once they are asked for
}

func (p *Program) parts() *parts {
	theta := autodiff.New().Input("theta", p.Dim())
	t := p.Terms(theta)
	all := &parts{theta: theta}
	add := func(name string, n autodiff.Node) {
		all.is, all.nodes = append(all.is, types.NonFiniteTerm{Part: name}), append(all.nodes, n)
	}
	for k, s := range t.Solutions {
		add("the solution of "+s.System.Names(), autodiff.Sum(s.Node, 1))
		all.is[k].Help = unreached(s)
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

// unreached reports what to do where a solution ran out of attempts.
func unreached(s evaluate.Solution) string {
	text, more := "it did not reach all times asked for in the steps it may attempt", 2000
	if s.Steps > 0 {
		text, more = fmt.Sprintf("%s, %d", text, s.Steps), 3*s.Steps
	}
	text += fmt.Sprintf("; `infer ode(max_steps = %d)` allows more", more)
	if s.System.Options["method"] != "bdf" {
		text += ", and stiff equations need fewer with `method = bdf`"
	}
	return text
}

// size returns the numbers in the graph of the parts.
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

func (all *parts) slopes(theta []float64) [][]float64 {
	if all.pulled == nil {
		for _, n := range all.nodes {
			all.pulled = append(all.pulled, autodiff.Grad(autodiff.SumAll(n), all.theta)[0])
		}
	}
	return autodiff.Eval(map[string][]float64{"theta": theta}, all.pulled...)
}

// bad returns the parts that are not finite everywhere.
func (all *parts) bad(at [][]float64) (out []int) {
	for i, rows := range at {
		if slices.ContainsFunc(rows, func(x float64) bool { return !isFinite(x) }) {
			out = append(out, i)
		}
	}
	return out
}

// isZero reports whether log densities are those of something impossible, and all of them are numbers.
func isZero(logs []float64) bool {
	return len(logs) > 0 && slices.Min(logs) == math.Inf(-1) && slices.Max(logs) < math.Inf(1)
}

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// badRows returns the number of rows that are not finite, and the first of them.
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
