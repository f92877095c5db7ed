package formula

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ppl/lang/diag"
)

// group adds the effects of `effects | group`, or of `effects | id | group`. Effects of terms with the same id are
// correlated.
func (e *equation) group(p *predictor, bar *node) {
	left, id := bar.args[0], ""
	if inner := left.inner(); inner.op == "|" || inner.op == "||" {
		name := inner.args[1].inner()
		if inner.op != "|" || bar.op != "|" || name.op != opName && name.op != opNumber ||
			strings.HasPrefix(inner.args[0].inner().op, "|") {
			e.fail(bar, "a group term must be of the form (effects | group), (effects || group) or "+
				"(effects | id | group)", "")
		}
		left, id = inner.args[0], name.text
	}
	effects := e.effects(left)
	if len(effects) == 0 {
		e.fail(bar, "the term has no effects", "write (1 | group), or (x | group)")
	}
	for _, g := range e.groupings(bar.args[1]) {
		e.checkGroups(g, effects, bar)
		if id != "" {
			e.share(p, id, effects, g)
			continue
		}
		e.effectsOf(p, effects, g, bar)
	}
}

// share adds effects to those with the same id and grouping.
func (e *equation) share(p *predictor, id string, effects []effect, g grouping) {
	columns := columnsOf(g, "_")
	sets, at := g.axes()
	k := slices.IndexFunc(e.shared, func(s *sharedEffects) bool { return s.key == id+" "+columns })
	if k < 0 {
		k = len(e.shared)
		e.shared = append(e.shared, &sharedEffects{key: id + " " + columns, name: e.fresh("r_" + columns),
			cor: e.fresh("cor_" + columns), columns: columns, sets: sets})
	}
	s := e.shared[k]
	for _, one := range effects {
		s.sds = append(s.sds, e.spreadOf(p, one, columns))
		one.label = p.label(one.label)
		s.effects = append(s.effects, one)
		p.grouped = append(p.grouped, times(fmt.Sprintf("%s[%s, %d]", s.name, at, len(s.effects)), one.at))
	}
}

// writeShared writes the distributions of shared effects.
func (w *writer) writeShared() {
	for _, s := range w.shared {
		if len(s.effects) == 1 {
			w.statement(fmt.Sprintf("%s[%s, 1..1] ~ Normal(0, %s)", s.name, strings.Join(s.sets, ", "), s.sds[0]), "")
			continue
		}
		w.writeCorrelated(s)
	}
}

// effects returns the effects on the left side of a bar.
func (w *writer) effects(n *node) (all []effect) {
	e := w.expander(func(*node) bool { return false }).expand(n)
	if len(e.groups) > 0 {
		w.fail(n, "a group term cannot contain another group term", "write them side by side: (1 | a) + (1 | b)")
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

// effectsOfTerm returns an effect for each design column of a coefficient.
func (w *writer) effectsOfTerm(c coefficient) (all []effect) {
	for _, d := range c.designColumns(w.size) {
		e := effect{spread: 1}
		var labels, at []string
		if c.number != nil {
			e.spread = sdOf(c.number.values)
			e.words = fmt.Sprintf(" / sd(%s)", c.number.name)
			e.number = c.number.name
			labels, at = append(labels, c.number.name), append(at, c.number.name+"[i]")
		}
		for k, a := range c.axes {
			label, indicator := w.contrastAt(a, d.levels[k])
			labels, at = append(labels, joined(label)), append(at, indicator)
		}
		e.label, e.at = strings.Join(labels, "_"), strings.Join(at, " * ")
		all = append(all, e)
	}
	return all
}

// contrastAt returns the label and the expression of the design column of one level: its indicator. With sum contrasts,
// it is the indicator of the level before, minus that of the last level.
func (w *writer) contrastAt(a axis, level int) (label, indicator string) {
	is := func(level int) string {
		return fmt.Sprintf("(%s[i] == %s)", a.name, strconv.Quote(a.levels[level-1]))
	}
	if w.sum && a.contrast {
		return fmt.Sprint(a.column, level-1), fmt.Sprintf("(%s - %s)", is(level-1), is(len(a.levels)))
	}
	return a.column + a.levels[level-1], is(level)
}

// A grouping is a list of factors. Each combination of their levels is a group.
type grouping struct {
	factors []*factor
	note    string // comment for the model; may be empty
}

// groupings returns the groupings on the right side of a bar: g, a:b, a + b, or a/b, which means a and a:b.
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

// nested combines two groupings. If each level of the inner one occurs in only one group of the outer one, the inner
// factor alone identifies the groups.
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
		note: fmt.Sprintf("in the data each %s is in only one %s, so %[1]s alone identifies the groups",
			inner[0].column, outer[len(outer)-1].column)}
}

func codesAt(factors []*factor, i int) []int {
	codes := make([]int, len(factors))
	for k, f := range factors {
		codes[k] = f.codes[i]
	}
	return codes
}

// These constants limit the size of groupings.
const (
	manyGroups = 2000 // number of combinations of levels beyond which fewOccur applies
	fewOccur   = 4    // greatest ratio of possible combinations to those that occur
)

// axes returns the axes of an array over the groups, such as "j in Subjects", and its indices at row i.
func (g grouping) axes() (sets []string, at string) {
	indices := []string{"j", "k", "l", "m", "n"}
	var rows []string
	for k, f := range g.factors {
		sets = append(sets, fmt.Sprintf("%s in %s", indices[k], f.set))
		rows = append(rows, f.name+"[i]")
	}
	return sets, strings.Join(rows, ", ")
}

// checkGroups reports an error for groupings whose effects cannot be estimated, and for those with far more
// combinations of levels than occur in the data.
func (w *equation) checkGroups(g grouping, effects []effect, at *node) {
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
		w.fail(at, fmt.Sprintf("`%s` has only one level, so that the spread of its effects cannot be estimated", name),
			"leave the term out")
	case len(seen) >= w.size && w.residual && !w.knownErrors() && len(effects) == 1:
		w.fail(at, fmt.Sprintf("`%s` has a level for each of the %d rows, so that its effects cannot be distinguished "+
			"from the residuals", name, w.size), "leave the term out, or check that the column names groups")
	case product > manyGroups && product > fewOccur*len(seen):
		w.fail(at, fmt.Sprintf("of the %d combinations of `%s` only %d occur", product, name, len(seen)),
			"add a column that names the combination of each row, and write (1 | column)")
	}
}

// knownErrors reports whether se() gives the standard deviations of all residuals, as in a meta-analysis.
func (w *equation) knownErrors() bool { return w.outcome.errors != "" && !w.outcome.withSigma }

func columnsOf(g grouping, between string) string {
	names := make([]string, len(g.factors))
	for k, f := range g.factors {
		names[k] = spelled(f.column)
	}
	return strings.Join(names, between)
}

// effectsOf writes the effects of one grouping: correlated, or independent after `||`.
func (w *writer) effectsOf(p *predictor, effects []effect, g grouping, bar *node) {
	name := columnsOf(g, "_")
	sets, at := g.axes()
	if g.note != "" {
		w.comment(g.note)
	}
	w.noteUncentred(effects, name)
	sds := make([]string, len(effects))
	for k, e := range effects {
		sds[k] = w.spreadOf(p, e, name)
	}
	if len(effects) > 1 && bar.op != "||" {
		s := &sharedEffects{name: w.fresh(p.ofGroup("r", name)), cor: w.fresh(p.ofGroup("cor", name)), columns: name,
			sets: sets, effects: effects, sds: sds}
		w.writeCorrelated(s)
		for k, e := range effects {
			p.grouped = append(p.grouped, times(fmt.Sprintf("%s[%s, %d]", s.name, at, k+1), e.at))
		}
		return
	}
	for k, e := range effects {
		r := p.ofGroup("r", name)
		if len(effects) > 1 || w.names[r] {
			r += "__" + e.label
		}
		r = w.fresh(r)
		w.statement(fmt.Sprintf("%s[%s] ~ Normal(0, %s)", r, strings.Join(sets, ", "), sds[k]), "")
		p.grouped = append(p.grouped, times(fmt.Sprintf("%s[%s]", r, at), e.at))
	}
}

// noteUncentred adds a comment on the numeric quantities that group effects multiply, because these are not centred.
func (w *writer) noteUncentred(effects []effect, columns string) {
	var numbers []string
	for _, e := range effects {
		if e.number != "" && !slices.Contains(numbers, e.number) {
			numbers = append(numbers, e.number)
		}
	}
	if len(numbers) > 0 {
		w.comment(fmt.Sprintf("effects of %s multiply %s without centring, as in lme4", columns, diag.And(numbers)))
	}
}

// spreadOf writes the prior of an effect's standard deviation, and returns its name.
func (w *writer) spreadOf(p *predictor, e effect, columns string) string {
	sd := w.fresh("sd_" + columns + "__" + p.label(e.label))
	words := p.words + e.words
	if p.words == "" && e.words != "" {
		words = "1" + e.words
	}
	w.prior(sd, "sd", sd, fmt.Sprintf("Exponential(mean = %s)", rounded(p.scale/e.spread)), words)
	return sd
}

// writeCorrelated writes the joint normal distribution of effects, and the prior of their correlations.
func (w *writer) writeCorrelated(s *sharedEffects) {
	size := len(s.effects)
	places := make([]string, size)
	for k, e := range s.effects {
		places[k] = fmt.Sprintf("%d: %s", k+1, e.label)
	}
	w.prior(s.cor, "cor", fmt.Sprintf("%s[1..%d, 1..%[2]d]", s.cor, size), "LKJ(1)", strings.Join(places, ", "))
	zeros, spreads := "[0, 0]", "["+strings.Join(s.sds, ", ")+"]"
	if size > 2 {
		zeros = fmt.Sprintf("fill(0, %d)", size)
		spread := w.fresh(strings.Replace(s.name, "r_", "spread_", 1))
		w.statement(spread+" = "+spreads, "")
		spreads = spread
	}
	w.statement(fmt.Sprintf("%s[%s, 1..%d] ~ MvNormal(%s, sd = %s, corr = %s)", s.name, strings.Join(s.sets, ", "),
		size, zeros, spreads, s.cor), "")
}

func times(effect, at string) string {
	if at == "" {
		return effect
	}
	return effect + " * " + at
}
