package formula

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// An effect of a group multiplies a quantity, or is an intercept.
type effect struct {
	label  string // as in sd_Subject__Days
	at     string // the quantity at row i; "" for 1
	spread float64
	words  string // of the spread in comments
}

// group adds the effects of `effects | group`.
func (w *writer) group(p *predictor, bar *node) {
	if inner := bar.args[0].inner(); inner.op == "|" || inner.op == "||" {
		w.fail(bar, "a term with two `|` joins groups of several formulas, which is not available",
			"write (effects | group); each formula has effects of its own")
	}
	effects := w.effects(bar.args[0])
	if len(effects) == 0 {
		w.fail(bar, "the term has no effects", "write (1 | group), or (x | group)")
	}
	for _, g := range w.groupings(bar.args[1]) {
		w.effectsOf(p, effects, g, bar)
	}
}

// effects multiplies out the left side of a bar.
func (w *writer) effects(n *node) (all []effect) {
	e := w.expander(func(*node) bool { return false }).expand(n)
	if len(e.groups) > 0 {
		w.fail(n, "a group term cannot have another inside", "")
	}
	for _, t := range e.terms {
		if len(t) == 0 {
			all = append(all, effect{label: "Intercept", spread: 1})
			continue
		}
		for _, c := range w.coefficients(&predictor{of: "group"}, e.terms, t) {
			delete(w.names, c.name)
			all = append(all, w.effectsOfTerm(c)...)
		}
	}
	return all
}

// effectsOfTerm lists an effect for each column of a coefficient.
func (w *writer) effectsOfTerm(c coefficient) (all []effect) {
	for _, d := range c.designColumns(w.size) {
		e := effect{spread: 1}
		var labels, at []string
		if c.number != nil {
			e.spread = sdOf(c.number.values)
			e.words = fmt.Sprintf(" / sd(%s)", c.number.name)
			labels, at = append(labels, c.number.name), append(at, c.number.name+"[i]")
		}
		for k, a := range c.axes {
			level := a.levels[d.levels[k]-1]
			labels = append(labels, joined(a.column+level))
			at = append(at, fmt.Sprintf("(%s[i] == %s)", a.name, strconv.Quote(level)))
		}
		e.label, e.at = strings.Join(labels, "_"), strings.Join(at, " * ")
		all = append(all, e)
	}
	return all
}

// A grouping is the factors of which each combination is a group.
type grouping struct {
	factors []*factor
	note    string
}

// groupings are those on the right side of a bar: g, a:b, and a/b, which is a and a:b.
func (w *writer) groupings(n *node) (all []grouping) {
	n = n.inner()
	switch n.op {
	case "/":
		outer := w.groupings(n.args[0])
		last := outer[len(outer)-1]
		for _, g := range w.groupings(n.args[1]) {
			all = append(all, w.nested(last.factors, g.factors))
		}
		return append(outer, all...)
	case ":":
		a, b := w.groupings(n.args[0]), w.groupings(n.args[1])
		return []grouping{w.nested(a[0].factors, b[0].factors)}
	case "+":
		return append(w.groupings(n.args[0]), w.groupings(n.args[1])...)
	case opCall:
		if why, help := refused(n, variableForm); why != "" {
			w.fail(n, why, help)
		}
	}
	return []grouping{{factors: []*factor{w.factor(n)}}}
}

// nested joins groupings. If each level of the inner one lies in one group of the outer, the inner one names all.
func (w *writer) nested(outer, inner []*factor) grouping {
	all := append(slices.Clone(outer), inner...)
	in := map[int]string{}
	unique := len(inner) == 1
	for i := range w.size {
		key := fmt.Sprint(codesAt(outer, i))
		if before, ok := in[inner[0].codes[i]]; ok && before != key {
			unique = false
		}
		in[inner[0].codes[i]] = key
	}
	if !unique {
		return grouping{factors: all}
	}
	return grouping{factors: inner,
		note: fmt.Sprintf("each %s is in one %s", inner[0].column, outer[len(outer)-1].column)}
}

func codesAt(factors []*factor, i int) []int {
	codes := make([]int, len(factors))
	for k, f := range factors {
		codes[k] = f.codes[i]
	}
	return codes
}

// sizes of groupings
const (
	manyGroups = 2000 // combinations of levels from which on most have to occur
	fewOccur   = 4    // how many combinations there may be for one that occurs, then
)

// checkGroups refuses groupings that cannot be estimated, or have far more combinations than the data.
func (w *writer) checkGroups(g grouping, effects []effect, at *node) {
	name, product := columnsOf(g, ":"), 1
	seen := map[string]bool{}
	for i := range w.size {
		seen[fmt.Sprint(codesAt(g.factors, i))] = true
	}
	for _, f := range g.factors {
		product *= len(f.levels)
	}
	switch {
	case len(seen) < 2:
		w.fail(at, fmt.Sprintf("`%s` has one level, and so no spread of effects", name), "leave the term out")
	case len(seen) >= w.size && w.residual && len(effects) == 1:
		w.fail(at, fmt.Sprintf("`%s` has a level for each of the %d rows, so that its effects cannot be distinguished "+
			"from the residuals", name, w.size), "leave the term out, or check that the column names groups")
	case product > manyGroups && product > fewOccur*len(seen):
		w.fail(at, fmt.Sprintf("of the %d combinations of `%s` only %d occur", product, name, len(seen)),
			"make one column of both, with a name for each group that there is, and write (1 | column)")
	}
}

func columnsOf(g grouping, between string) string {
	names := make([]string, len(g.factors))
	for k, f := range g.factors {
		names[k] = spelled(f.column)
	}
	return strings.Join(names, between)
}

// effectsOf writes the effects of one grouping: with a correlation, or after `||` each alone.
func (w *writer) effectsOf(p *predictor, effects []effect, g grouping, bar *node) {
	w.checkGroups(g, effects, bar)
	name := columnsOf(g, "_")
	indices := []string{"j", "k", "l", "m", "n"}
	var sets, at []string
	for k, f := range g.factors {
		sets = append(sets, fmt.Sprintf("%s in %s", indices[k], f.set))
		at = append(at, f.name+"[i]")
	}
	if g.note != "" {
		w.comment(g.note + ", so that it names the group")
	}
	sds := make([]string, len(effects))
	for k, e := range effects {
		sds[k] = w.fresh(p.named("sd", name+"__"+e.label))
		words := p.words + e.words
		if p.words == "" && e.words != "" {
			words = "1" + e.words
		}
		w.prior(sds[k], "sd", sds[k], fmt.Sprintf("Exponential(mean = %s)", rounded(p.scale/e.spread)), words)
	}
	if len(effects) == 1 || bar.op == "||" {
		for k, e := range effects {
			r := p.named("r", name)
			if len(effects) > 1 || w.names[r] {
				r += "__" + e.label
			}
			r = w.fresh(r)
			w.statement(fmt.Sprintf("%s[%s] ~ Normal(0, %s)", r, strings.Join(sets, ", "), sds[k]), "")
			p.grouped = append(p.grouped, times(fmt.Sprintf("%s[%s]", r, strings.Join(at, ", ")), e.at))
		}
		return
	}
	w.correlated(p, effects, name, sets, at, sds)
}

func (w *writer) correlated(p *predictor, effects []effect, name string, sets, at, sds []string) {
	size := len(effects)
	places := make([]string, size)
	for k, e := range effects {
		places[k] = fmt.Sprintf("%d: %s", k+1, e.label)
	}
	cor, r := w.fresh(p.named("cor", name)), w.fresh(p.named("r", name))
	w.prior(cor, "cor", fmt.Sprintf("%s[1..%d, 1..%[2]d]", cor, size), "LKJ(1)", strings.Join(places, ", "))
	zeros, spreads := "[0, 0]", "["+strings.Join(sds, ", ")+"]"
	if size > 2 {
		zeros = fmt.Sprintf("fill(0, %d)", size)
		spread := w.fresh(p.named("spread", name))
		w.statement(spread+" = "+spreads, "")
		spreads = spread
	}
	w.statement(fmt.Sprintf("%s[%s, 1..%d] ~ MvNormal(%s, sd = %s, corr = %s)", r, strings.Join(sets, ", "), size,
		zeros, spreads, cor), "")
	for k, e := range effects {
		p.grouped = append(p.grouped, times(fmt.Sprintf("%s[%s, %d]", r, strings.Join(at, ", "), k+1), e.at))
	}
}

func times(effect, at string) string {
	if at == "" {
		return effect
	}
	return effect + " * " + at
}
