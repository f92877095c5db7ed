package formula

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A predictor is a sum of effects, for the mean or for another parameter of the family.
type predictor struct {
	of        string   // parameter and outcome as they occur in coefficient names; "" for the mean
	parameter string   // "" for the mean
	start     float64  // prior mean of the intercept
	origin    string   // formula of start in comments
	spread    float64  // prior sd of the intercept and of the effect of one sd of a quantity, in units of scale
	scale     float64  // sd of the outcome for a predictor in units of the outcome, and otherwise 1
	words     string   // the scale in comments; "" if it is 1
	summands  []string // population effects at row i
	grouped   []string // group effects at row i
	shift     []string // the intercept at 0 is the centred intercept minus these terms
	centre    bool     // numeric quantities are centred, because there is an intercept or cut points
}

// named returns the name of a coefficient of the predictor: b_x or b_sigma_x.
func (p *predictor) named(prefix, name string) string {
	if p.of != "" {
		prefix += "_" + p.of
	}
	return prefix + "_" + name
}

// ofGroup returns the name of group effects or of their correlations: r_g or r_g__sigma.
func (p *predictor) ofGroup(prefix, columns string) string {
	if p.of != "" {
		return prefix + "_" + columns + "__" + p.of
	}
	return prefix + "_" + columns
}

// label returns the label of an effect, which is unique among all predictors, as in sd_g__sigma_Intercept.
func (p *predictor) label(effect string) string {
	if p.of != "" {
		return p.of + "_" + effect
	}
	return effect
}

// A coefficient multiplies a quantity. It has an element for each combination of the levels of its axes.
type coefficient struct {
	term    term
	name    string
	effects string   // name of the array of its effects, if they are defined from another array
	number  *numeric // quantity that it multiplies; nil for 1
	axes    []axis
	centred bool
}

// An axis of a coefficient has one element for each level. With contrasts, the first level is the reference with effect
// 0, or the elements sum to 0.
type axis struct {
	*factor
	contrast bool
}

// refuseOutcome reports an error if the outcome is its own predictor.
func (w *equation) refuseOutcome(t term) {
	for _, v := range t {
		if v.op == opName && spelled(v.text) == w.outcome.name {
			w.fail(v, fmt.Sprintf("`%s` is the outcome, and cannot be a predictor", v.text), "leave it out")
		}
	}
}

// coefficients returns the coefficients of one term. As in R, a factor is coded by contrasts if the model also has the
// term without this factor, and otherwise by all levels.
func (w *writer) coefficients(p *predictor, ts terms, t term) (all []coefficient) {
	var axes []axis
	products := [][]numeric{nil}
	var names []string
	for i, v := range t {
		if w.isFactor(v) {
			rest := slices.Delete(slices.Clone(t), i, i+1)
			f := w.factor(v)
			if len(f.levels) < 2 {
				w.fail(v, fmt.Sprintf("`%s` has one level, %q, and so no effect", f.column, f.levels[0]),
					"leave it out")
			}
			axes = append(axes, axis{f, ts.has(rest)})
			names = append(names, joined(v.String()))
			continue
		}
		var next [][]numeric
		for _, product := range products {
			for _, column := range w.numbers(v, t) {
				next = append(next, append(slices.Clone(product), column))
			}
		}
		products = next
	}
	w.checkLevels(t, axes)
	if w.sum { // a zero-sum prior sums to 0 along the last axis
		slices.SortStableFunc(axes, func(a, b axis) int { return cmp.Compare(truth(a.contrast), truth(b.contrast)) })
	}
	for _, product := range products {
		c := coefficient{term: t, axes: axes}
		parts := names
		if len(product) > 0 {
			c.number = w.product(product)
			c.centred = len(axes) == 0 && p.centre && !c.number.unknown && !c.number.balanced()
			parts = append([]string{c.number.called()}, names...)
		}
		prefix := "b"
		if c.number != nil && c.number.unknown {
			prefix = "bsp"
		}
		c.name = w.fresh(p.named(prefix, strings.Join(parts, "_")))
		all = append(all, c)
	}
	return all
}

// manyLevels is the greatest number of coefficients of a term with factors, of levels of an outcome, and of curves.
const manyLevels = 2000

// checkLevels reports an error for terms with more than manyLevels coefficients. Their factors should be groups.
func (w *writer) checkLevels(t term, axes []axis) {
	if count := combinations(axes); count > manyLevels {
		w.failTerm(t, fmt.Sprintf("would have %.0f coefficients", count),
			"write a group term, "+w.groupTerm(t))
	}
}

// groupTerm returns the group term that can replace a term with many levels.
func (w *writer) groupTerm(t term) string {
	var effects, groups []string
	for _, v := range t {
		if w.isFactor(v) {
			groups = append(groups, v.String())
		} else {
			effects = append(effects, v.String())
		}
	}
	if len(effects) == 0 {
		return fmt.Sprintf("(1 | %s)", strings.Join(groups, ":"))
	}
	return fmt.Sprintf("(0 + %s | %s)", strings.Join(effects, ":"), strings.Join(groups, ":"))
}

// combinations returns the number of combinations of levels.
func combinations(axes []axis) float64 {
	count := 1.0
	for _, a := range axes {
		count *= float64(len(a.levels))
	}
	return count
}

// contrasts returns the number of axes with contrasts.
func (c *coefficient) contrasts() (count int) {
	for _, a := range c.axes {
		if a.contrast {
			count++
		}
	}
	return count
}

// numbers returns the quantities of a variable in a term: one, or several for a polynomial.
func (w *writer) numbers(n *node, t term) []numeric {
	if n.op == opCall {
		switch n.text {
		case "poly":
			return w.polynomial(n)
		case "mo", "me", "mi":
			return []numeric{w.unknown(n, t)}
		}
	}
	v := w.number(n)
	w.noteFewValues(n, v)
	return []numeric{v}
}

// noteFewValues adds a note if a numeric column has only a few values, all integers, because these may be meant as
// levels.
func (w *writer) noteFewValues(n *node, v numeric) {
	const least, most = 3, 6
	if n.op != opName || !v.plain {
		return
	}
	all := distinct(v.values)
	if len(all) < least || len(all) > most ||
		slices.ContainsFunc(all, func(x float64) bool { return x != math.Trunc(x) }) {
		return
	}
	note := fmt.Sprintf("# %s has %d values and is taken as a number; factor(%[1]s) has an effect of each", n.text,
		len(all))
	if !slices.Contains(w.asNumbers, note) {
		w.asNumbers = append(w.asNumbers, note)
	}
}

// product returns the product of quantities. If there are several, it defines the product in the model.
func (w *writer) product(factors []numeric) *numeric {
	if len(factors) == 1 {
		return &factors[0]
	}
	var names, labels, at []string
	values, unknown := make([]float64, w.size), false
	for i := range values {
		values[i] = 1
	}
	for _, f := range factors {
		names, labels, at = append(names, f.name), append(labels, f.called()), append(at, f.name+"[i]")
		unknown = unknown || f.unknown
		for i, v := range f.values {
			values[i] *= v
		}
	}
	key := strings.Join(at, " * ")
	if v, ok := w.numerics[key]; ok {
		return &v
	}
	var v numeric
	if name := strings.Join(names, "_"); unknown {
		v = numeric{name: w.fresh(name), label: strings.Join(labels, "_"), unknown: true, values: values}
		w.statement(fmt.Sprintf("%s[i in %s] = %s", v.name, w.rows, key), "")
	} else {
		v = w.define(name, key, values)
	}
	w.numerics[key] = v
	return &v
}

// called returns the name of a quantity within coefficient names.
func (v *numeric) called() string {
	if v.label != "" {
		return v.label
	}
	return v.name
}

// polynomial defines orthogonal polynomials of a quantity, like R's poly, by the three-term recurrence. Each has sum of
// squares 1. With raw = TRUE it defines powers instead.
func (w *writer) polynomial(n *node) (all []numeric) {
	x, degree, raw := w.polynomialOf(n)
	if raw {
		all = append(all, x)
		for d := 2; d <= degree; d++ {
			values := make([]float64, len(x.values))
			for i, v := range x.values {
				values[i] = math.Pow(v, float64(d))
			}
			all = append(all, w.once(fmt.Sprintf("%s_%d", x.name, d), fmt.Sprintf("%s[i]^%d", x.name, d), values))
		}
		return all
	}
	before, now, beforeSize := make([]float64, w.size), make([]float64, w.size), 1.0
	for i := range now {
		now[i] = 1
	}
	var nowText, beforeText string
	for d := 1; d <= degree; d++ {
		size := dot(now, now)
		center := dotOf(x.values, now, now) / size
		next := make([]float64, w.size)
		ratio := size / beforeSize
		for i, v := range x.values {
			next[i] = (v - center) * now[i]
			if d > 1 {
				next[i] -= ratio * before[i]
			}
		}
		text := fmt.Sprintf("%s[i] - %s", x.name, exact(center))
		if d > 1 {
			text = fmt.Sprintf("(%s) * %s", text, nowText)
			if d == 2 {
				text += " - " + exact(ratio)
			} else {
				text += fmt.Sprintf(" - %s * %s", exact(ratio), beforeText)
			}
		}
		whole := w.once(fmt.Sprintf("%s_poly_%d", x.name, d), text, next)
		beforeText, nowText = nowText, whole.name+"[i]"
		before, now, beforeSize = now, next, size
		scale := math.Sqrt(dot(next, next))
		values := make([]float64, w.size)
		for i := range values {
			values[i] = next[i] / scale
		}
		all = append(all, w.once(fmt.Sprintf("poly_%s_%d", x.name, d), fmt.Sprintf("%s / %s", nowText, exact(scale)),
			values))
	}
	return all
}

// once defines a quantity, or returns an existing one with the same text.
func (w *writer) once(name, text string, values []float64) numeric {
	if v, ok := w.numerics[text]; ok {
		return v
	}
	v := w.define(name, text, values)
	w.numerics[text] = v
	return v
}

// polynomialOf reads poly(x, degree, raw = TRUE).
func (w *writer) polynomialOf(n *node) (x numeric, degree int, raw bool) {
	degree = 1
	for k, a := range n.args {
		switch {
		case k == 0:
			x = w.number(a)
		case n.labels[k] == "raw":
			raw = a.text == "TRUE" || a.text == "T"
		case a.op == opNumber && (n.labels[k] == "degree" || n.labels[k] == ""):
			degree = int(a.number)
		default:
			w.fail(a, "poly takes a column, a degree and raw = TRUE", "")
		}
	}
	if degree < 1 {
		w.fail(n, "the degree of a polynomial must be at least 1", "")
	}
	if count := len(distinct(x.values)); degree >= count {
		w.fail(n, fmt.Sprintf("a polynomial of degree %d needs more than %[1]d different values; %s has %d", degree,
			x.name, count), "take a lower degree, or factor() of the column")
	}
	return x, degree, raw
}

// dot returns the inner product over the rows without a missing value.
func dot(a, b []float64) (sum float64) {
	for i := range a {
		if v := a[i] * b[i]; !math.IsNaN(v) {
			sum += v
		}
	}
	return sum
}

// dotOf returns the sum of products over the rows without a missing value.
func dotOf(a, b, c []float64) (sum float64) {
	for i := range a {
		if v := a[i] * b[i] * c[i]; !math.IsNaN(v) {
			sum += v
		}
	}
	return sum
}

// balanced reports whether the mean of a quantity is 0 up to rounding.
func (v *numeric) balanced() bool { return math.Abs(meanOf(v.values)) < 1e-9*sdOf(v.values) }

// summand returns the text of a coefficient's term in the predictor at row i. If the term's quantity is centred, it
// adds the effect of the mean to p.shift.
func (w *writer) summand(p *predictor, c coefficient) string {
	text := c.effects
	if len(c.axes) > 0 {
		at := make([]string, len(c.axes))
		for k, a := range c.axes {
			at[k] = a.name + "[i]"
		}
		text += "[" + strings.Join(at, ", ") + "]"
	}
	switch {
	case c.number == nil:
	case c.centred:
		p.shift = append(p.shift, fmt.Sprintf("%s * mean(%s)", c.name, c.number.name))
		text += fmt.Sprintf(" * (%s[i] - mean(%[1]s))", c.number.name)
	default:
		text += fmt.Sprintf(" * %s[i]", c.number.name)
	}
	return text
}

// coefficientPrior writes the prior of a coefficient, and with contrasts also the elements that are fixed.
func (w *writer) coefficientPrior(p *predictor, c coefficient) {
	scale, words := p.spread*p.scale, shortest(p.spread)
	if p.words != "" {
		words += " " + p.words
	}
	if c.number != nil {
		scale /= sdOf(c.number.values)
		words += fmt.Sprintf(" / sd(%s)", c.number.name)
	}
	if len(c.axes) > 0 {
		scale /= 0.5
		words += " / 0.5, the largest sd of an indicator"
	}
	prior := fmt.Sprintf("Normal(0, %s)", rounded(scale))
	if words == shortest(p.spread) {
		words = ""
	}
	if w.sum && slices.ContainsFunc(c.axes, func(a axis) bool { return a.contrast }) {
		w.sumContrasts(c, prior, words)
		return
	}
	all := w.axesOf(c)
	head := slices.Clone(all)
	for k, a := range c.axes {
		if !a.contrast {
			continue
		}
		zero := slices.Concat(head[:k], []string{"1"}, all[k+1:])
		for j := range zero { // a constant needs no index
			zero[j] = zero[j][strings.LastIndex(zero[j], " ")+1:]
		}
		w.statement(fmt.Sprintf("%s[%s] = 0", c.name, strings.Join(zero, ", ")),
			fmt.Sprintf("%s %q is the reference level", a.column, a.levels[0]))
		head[k] = fmt.Sprintf("%s in 2..%s", indices()[k], a.set)
	}
	text := c.name
	if len(head) > 0 {
		text += "[" + strings.Join(head, ", ") + "]"
	}
	w.prior(c.name, "b", text, prior, words)
}

// sumContrasts writes effects that sum to 0 along each axis with contrasts. The prior has this property along the last
// axis; definitions then subtract the means along the other axes. Normal effects stay normal.
func (w *writer) sumContrasts(c coefficient, prior, words string) {
	axes, at := w.axesOf(c), indices()[:len(c.axes)]
	var others []int
	for k, a := range c.axes[:len(c.axes)-1] {
		if a.contrast {
			others = append(others, k)
		}
	}
	name := func(step int) string {
		if step == len(others) {
			return c.effects
		}
		return w.fresh(strings.Replace(c.effects, "effect_", "free_", 1))
	}
	head := "[" + strings.Join(axes, ", ") + "]"
	last := name(0)
	if len(others) > 0 {
		w.comment(fmt.Sprintf("%s has sums of 0 along its last axis, %s along each", last, c.effects))
	}
	w.priorWith(c.name, "b", last+head, prior, " zerosum", words)
	for step, k := range others {
		inner := slices.Clone(at)
		inner[k] = "j"
		next := name(step + 1)
		w.statement(fmt.Sprintf("%s%s = %s[%s] - mean(j in %s: %[3]s[%[6]s])", next, head, last,
			strings.Join(at, ", "), c.axes[k].set, strings.Join(inner, ", ")), "")
		last = next
	}
	if len(others) > 0 {
		w.statement(fmt.Sprintf("generate %s = %s", c.name, c.effects), "")
	}
}

// indices returns the index names of a coefficient's axes.
func indices() []string { return []string{"k", "l", "m", "n", "o", "q"} }

// axesOf returns the axes of a coefficient, each with its index.
func (w *writer) axesOf(c coefficient) (all []string) {
	if len(c.axes) > len(indices()) {
		w.failTerm(c.term, "has more than six factors", "make a column of their combinations")
	}
	for k, a := range c.axes {
		all = append(all, fmt.Sprintf("%s in %s", indices()[k], a.set))
	}
	return all
}

// rounded formats a number with three significant digits.
func rounded(v float64) string {
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
	return shortest(r)
}

// exact formats a number with twelve significant digits.
func exact(v float64) string {
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64)
	return shortest(r)
}

func shortest(r float64) string {
	if a := math.Abs(r); a != 0 && (a < 1e-3 || a >= 1e6) {
		return strings.NewReplacer("e+0", "e", "e-0", "e-", "e+", "e").Replace(strconv.FormatFloat(r, 'e', -1, 64))
	}
	return strconv.FormatFloat(r, 'f', -1, 64)
}
