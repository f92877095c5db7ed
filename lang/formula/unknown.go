package formula

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// unknown returns the quantity of mo(x), me(x, error) or mi(x), which depends on parameters. As in brms, mo has
// separate step sizes in each product with other variables.
func (w *writer) unknown(n *node, t term) numeric {
	key := n.String()
	if n.text == "mo" && len(t) > 1 {
		key = t.key() + "\x00" + key
	}
	if v, ok := w.numerics[key]; ok {
		return v
	}
	if len(n.args) == 0 {
		w.fail(n, fmt.Sprintf("`%s` needs a column", n), "")
	}
	var v numeric
	switch n.text {
	case "mo":
		v = w.monotonic(n, t)
	case "me":
		v = w.measured(n)
	case "mi":
		v = w.imputed(n)
	}
	v.unknown = true
	w.numerics[key] = v
	return v
}

// monotonic writes the effect of ordered levels, whose steps all have the sign of its coefficient. The coefficient is
// the mean step, and a simplex has the relative sizes of the steps (Bürkner and Charpentier, Modelling monotonic
// effects of ordinal predictors in Bayesian regression models, British Journal of Mathematical and Statistical
// Psychology 73 (2020) 420-451).
func (w *writer) monotonic(n *node, t term) numeric {
	if len(n.args) > 1 {
		w.fail(n, "mo takes one column", "")
	}
	r := w.ranks(n.args[0])
	steps := r.last - r.first
	if steps < 1 {
		w.fail(n, fmt.Sprintf("`%s` has one level, and so no effect", n.args[0]), "leave it out")
	}
	label := "mo" + r.column
	name := label
	if len(t) > 1 {
		name = joined(strings.ReplaceAll(t.String(), n.String(), label))
	}
	share := w.fresh("simo_" + name)
	w.prior(share, "simo", fmt.Sprintf("%s[1..%d]", share, steps), fmt.Sprintf("Dirichlet(fill(1, %d))", steps), "")
	rise := w.fresh("rise_" + name)
	before := "j < k"
	if r.first < 1 {
		before = "j <= k" + less(float64(r.first))
	} else if r.first > 1 {
		before = "j < k" + less(float64(r.first-1))
	}
	w.statement(fmt.Sprintf("%s[k in %s] = %d * sum(j in 1..%[3]d: %s ? %s[j] : 0)", rise, r.axis, steps,
		strings.TrimSuffix(before, " - 0"), share), "")
	v := numeric{name: w.fresh(name), label: label, values: r.values}
	w.statement(fmt.Sprintf("%s[i in %s] = %s[%s[i]]", v.name, w.rows, rise, r.name), "")
	return v
}

// ranks are the values of a column as integers from first to last.
type ranks struct {
	column      string // column, as used in coefficient names
	name        string // name of the array in the model
	axis        string // index set of the integers
	first, last int
	values      []float64
}

// ranks reads a column of ordered levels or integers.
func (w *writer) ranks(n *node) ranks {
	n = n.inner()
	if w.isFactor(n) {
		f, typ := w.levelled(n)
		if len(f.levels) > 1 {
			w.checkOrder(n, f, typ)
		}
		f = w.factor(n)
		values := make([]float64, len(f.codes))
		for i, code := range f.codes {
			values[i] = float64(code)
		}
		return ranks{spelled(f.column), f.name, f.set, 1, len(f.levels), values}
	}
	v := w.number(n)
	low, high := math.Inf(1), math.Inf(-1)
	for i, x := range v.values {
		if x != math.Trunc(x) && !math.IsNaN(x) {
			w.fail(n, fmt.Sprintf("`%s` is %v in row %d, and mo() takes whole numbers or ordered levels", n, x,
				i+1), "")
		}
		low, high = min(low, x), max(high, x)
	}
	const most = 1000
	if high-low >= most {
		w.fail(n, fmt.Sprintf("`%s` is from %v to %v, and mo() takes at most %d levels", n, low, high, most), "")
	}
	return ranks{joined(n.String()), v.name, fmt.Sprintf("%d..%d", int(low), int(high)), int(low), int(high), v.values}
}

// measured writes the true values of a quantity that was measured with known standard errors.
func (w *writer) measured(n *node) numeric {
	if len(n.args) != 2 {
		w.fail(n, "me takes a column and its standard errors", "write me(x, error)")
	}
	x := w.number(n.args[0])
	errors := w.above0(n.args[1], "the standard error").name + "[i]"
	if !x.plain {
		w.fail(n.args[0], "me takes a column of the data", "make a column of it in the data")
	}
	mean, spread := w.fresh("meanme_me"+x.name), w.fresh("sdme_me"+x.name)
	m, s := meanOf(x.values), sdOf(x.values)
	w.prior(mean, "meanme", mean, fmt.Sprintf("Normal(%s, %s)", rounded(m), rounded(2.5*s)),
		fmt.Sprintf("mean(%s), 2.5 sd(%[1]s)", x.name))
	w.prior(spread, "sdme", spread, fmt.Sprintf("Exponential(mean = %s)", rounded(s)), fmt.Sprintf("sd(%s)", x.name))
	v := numeric{name: w.fresh("true_" + x.name), label: "me" + joined(n.args[0].String()+" "+n.args[1].String()),
		values: x.values}
	v.label = strings.ReplaceAll(v.label, "_", "")
	w.statement(fmt.Sprintf("%s[i in %s] ~ Normal(%s, %s)", v.name, w.rows, mean, spread), "")
	w.statement(fmt.Sprintf("%s[i in %s] ~ Normal(%s[i], %s)", x.name, w.rows, v.name, errors), "")
	return v
}

// imputed returns a column whose missing values are estimated. Another formula must give the column a distribution.
func (w *writer) imputed(n *node) numeric {
	if len(n.args) != 1 || n.args[0].op != opName {
		w.fail(n, "mi takes one column", "")
	}
	c := w.column(n.args[0])
	k := slices.IndexFunc(w.equations, func(e *equation) bool { return e.outcome.column == c })
	if k < 0 {
		w.fail(n, fmt.Sprintf("missing values of `%s` cannot be estimated, because it has no formula", c.Name),
			fmt.Sprintf("add one, as in y ~ mi(%s), %[1]s | mi() ~ 1", c.Name))
	}
	if !w.equations[k].outcome.imputed {
		w.fail(n, fmt.Sprintf("the formula of `%s` has no mi()", c.Name), fmt.Sprintf("write %s | mi() ~ …", c.Name))
	}
	name := w.equations[k].outcome.name
	return numeric{name: name, label: "mi" + name, plain: true, values: c.Values}
}

// less returns the text that subtracts a number.
func less(v float64) string {
	if v < 0 {
		return " + " + rounded(-v)
	}
	return " - " + rounded(v)
}
