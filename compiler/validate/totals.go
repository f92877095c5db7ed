package validate

import (
	"math"
	"slices"
	"strings"

	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// totalNames lists labels of total rows, as written by spreadsheets and pivot tables.
var totalNames = []string{"total", "totals", "grand total", "all", "sum", "overall", "subtotal", "gesamt", "summe",
	"gesamtergebnis", "total general", "ensemble", "(all)"}

// WarnTotals warns about rows that are the sum of all others but are read as a group: `Total` among the stores.
func WarnTotals(e *evaluate.Evaluator, m *model.Model) {
	for _, g := range m.Arrays {
		if g.Role != model.Data || g.IndexOf == nil || len(g.Type.Axes) != 1 {
			continue
		}
		of, ok := g.IndexOf.Hi.(*model.SizeOf)
		codes, known := e.Data.Arrays[g]
		if !ok || !known || codes.Stream != nil {
			continue
		}
		names := e.Data.Labels[of.Size]
		k := slices.IndexFunc(names, func(s string) bool {
			return slices.Contains(totalNames, strings.ToLower(strings.TrimSpace(s)))
		})
		if k < 0 {
			continue
		}
		for _, x := range m.Arrays {
			if at := totalAt(e, g, x, float64(k+1)); at >= 0 {
				e.Diags.Warnf(diag.TotalAmongRows, g.At, "%q is a group of `%s`, but its value of `%s` is the sum of "+
					"all other rows (%s)", names[k], g.Name, x.Name, e.Data.Row(g, at)).
					Help("omit the row: it counts each observation a second time")
				break
			}
		}
	}
}

// totalAt returns the first row of a group whose numbers add up to the sum of all other rows, or −1.
func totalAt(e *evaluate.Evaluator, g, x *model.Array, group float64) int {
	data, ok := e.Data.Arrays[x]
	if !ok || x.Role != model.Data || x.IndexOf != nil || data.Stream != nil || len(x.Type.Axes) != 1 ||
		!x.Type.Axes[0].Same(g.Type.Axes[0]) {
		return -1
	}
	of, first, others := 0.0, -1, 0
	total, size := 0.0, 0.0
	for i, code := range e.Data.Arrays[g].Values.All() {
		v := data.Values.At(i)
		switch {
		case code == group:
			of += v
			if first < 0 {
				first = i
			}
		case !math.IsNaN(v):
			total, size, others = total+v, size+math.Abs(v), others+1
		}
	}
	const rounding = 1e-6 // totals are often rounded
	if others < 2 || size == 0 || !(math.Abs(of-total) <= rounding*size) {
		return -1
	}
	return first
}
