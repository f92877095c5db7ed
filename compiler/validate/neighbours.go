package validate

import (
	"fmt"
	"math"

	"ppl/autodiff"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
	"ppl/stdlib"
)

// checkNeighbours reports an error for graphs that a conditional autoregression cannot use, and warns about elements
// without neighbours and repeated edges.
func checkNeighbours(e *evaluate.Evaluator, t *model.Term) {
	switch {
	case t.Dist.Name == "ICAR" && t.Args[0].Info().Static && t.Args[1].Info().Static:
		checkEdges(e, t)
	case t.Dist.Name == "CAR" && t.Args[3].Info().Static:
		checkAdjacency(e, t)
	}
}

func checkEdges(e *evaluate.Evaluator, t *model.Term) {
	from, to := autodiff.Eval(nil, e.Expr(t.Args[0]).Node)[0], autodiff.Eval(nil, e.Expr(t.Args[1]).Node)[0]
	n, ds := evaluate.SetSize(e.Data, t.Event[0])
	if len(ds) > 0 || len(from) != len(to) {
		return
	}
	has := make([]bool, n+1)
	for i := range from {
		if from[i] == to[i] {
			e.Stop(e.Diags.Errorf(diag.ImpossibleValue, t.At, "edge %d goes from element %g to itself", i+1, from[i]).
				Help("leave the edge out: a difference of an element from itself is 0"))
		}
		for _, end := range []float64{from[i], to[i]} {
			if end >= 1 && end <= float64(n) {
				has[int(end)] = true
			}
		}
	}
	noteRepeatedEdges(e, t, from, to)
	for i := 1; i <= n; i++ {
		if !has[i] {
			e.Diags.Warnf(diag.ImproperPrior, t.At, "element %d of `%s` has no neighbour, so this prior does not "+
				"inform it", i, t.Array.Name).Help("give it a neighbour, or a separate prior")
			return
		}
	}
}

// noteRepeatedEdges reports that repeated edges, usually in the opposite direction, are counted once. This is a warning
// if only some edges are repeated, because a list of neighbours normally has each pair once, or all of them twice.
func noteRepeatedEdges(e *evaluate.Evaluator, t *model.Term, from, to []float64) {
	again, last, first := 0, 0, 0
	for i, earlier := range stdlib.EarlierEdges(from, to) {
		if earlier >= 0 {
			again++
			if again == 1 {
				last, first = i, earlier
			}
		}
	}
	if again == 0 {
		return
	}
	example := fmt.Sprintf("edge %d, from %g to %g, joins the same elements as edge %d", last+1, from[last], to[last],
		first+1)
	if 2*again == len(from) {
		e.Diags.Notef(diag.RepeatedEdges, t.At, "half of the edges repeat a pair of neighbours; each pair is counted "+
			"once: %s", example)
		return
	}
	e.Diags.Warnf(diag.RepeatedEdges, t.At, "%d of %d edges join elements that an earlier edge joins, and have no "+
		"effect: %s",
		again, len(from), example).
		Help("is the list of edges complete? give each pair of neighbours once, or each in both directions")
}

func checkAdjacency(e *evaluate.Evaluator, t *model.Term) {
	w := autodiff.Eval(nil, e.Expr(t.Args[3]).Node)[0]
	n := int(math.Round(math.Sqrt(float64(len(w)))))
	for i := range n {
		row := 0.0
		for j := range n {
			row += w[i*n+j]
			if w[i*n+j] != w[j*n+i] {
				e.Stop(e.Diags.Errorf(diag.ImpossibleValue, t.At, "the weights of `CAR` are not symmetric: [%d, %d] "+
					"is %g, but [%d, %d] is %g", i+1, j+1, w[i*n+j], j+1, i+1, w[j*n+i]).Help("%s",
					adjacencyHelp(t.Args[3], w, n)))
			}
		}
		switch {
		case w[i*n+i] != 0:
			e.Stop(e.Diags.Errorf(diag.ImpossibleValue, t.At, "element %d of `CAR` is its own neighbour: the weight "+
				"[%d, %d] is %g", i+1, i+1, i+1, w[i*n+i]).Help("set the diagonal of the weights to 0"))
		case row == 0:
			e.Stop(e.Diags.Errorf(diag.ImpossibleValue, t.At, "element %d of `CAR` has no neighbour, so its "+
				"variance is infinite", i+1).Help("give it a neighbour, or remove it from `CAR` and give it a " +
				"separate prior"))
		}
	}
}

// adjacencyHelp recognises weights given in one direction only, such as those above the diagonal.
func adjacencyHelp(x model.Expr, w []float64, n int) string {
	for i := range n {
		for j := range i {
			if w[i*n+j] != 0 && w[j*n+i] != 0 {
				return "neighbours have one weight in both directions"
			}
		}
	}
	text := x.Info().At.Text()
	return fmt.Sprintf("each pair of neighbours has a weight in one direction only: write `%s + transpose(%s)`", text,
		text)
}
