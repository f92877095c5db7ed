package formula

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ppl/lang/diag"
)

// A response is the left side of a formula: the outcome and the additions after its bar.
type response struct {
	node     *node
	column   *Column
	name     string // name in the model
	trials   string // expression of the number of trials at row i
	weights  string
	truncate string // range to which the outcome is truncated
	known    string // a modifier that describes censored values
	lower    string // array of lower ends of censored values, if it is not the outcome itself

	errors    string   // standard errors of se(), at row i
	withSigma bool     // the family's standard deviation is added to these
	exposure  *numeric // exposure of rate()
	imputed   bool     // mi(): missing values are estimated
}

// respond reads the left side of the formula.
func (w *equation) respond() {
	left := w.left
	var additions *node
	if left.op == "|" {
		left, additions = left.args[0], left.args[1]
	}
	left = left.inner()
	y := &w.outcome
	y.node = left
	y.imputed = additions != nil && hasCall(additions, "mi")
	switch {
	case left.op == opCall && left.text == "cbind" && w.family.takes == talliesOutcome:
		w.tallies(left)
	case left.op == opCall && left.text == "cbind" && len(left.args) == 2:
		y.node = left.args[0]
		y.column, y.name = w.outcomeColumn(y.node)
		failures := w.number(left.args[1])
		y.trials = fmt.Sprintf("%s[i] + %s[i]", y.name, failures.name)
		w.checkTrials(left.args[1], failures.values, 0)
	case left.op == opCall && w.family.hasLevels() && w.isFactor(left):
		y.column, y.name = w.levelsColumn(left)
	case left.op == opCall && left.text == "cbind":
		w.fail(left, fmt.Sprintf("cbind with %s needs the family multinomial", diag.Count(len(left.args), "column",
			"columns")), "take --family multinomial; --family binomial takes cbind(successes, failures)")
	case left.op == opCall:
		why, help := refused(left, outcomeForm)
		if why == "" || help == "make a column of it in the data, or define it in the model" || isFunction(left.text) {
			why = fmt.Sprintf("the outcome must be a column, but `%s` is computed", left.String())
			help = "make a column of it in the data; for log(y) the family lognormal has the same coefficients"
		}
		w.fail(left, why, help)
	case left.op == "+":
		w.fail(left, "a formula has one outcome", "write mvbind(y, z) ~ x for outcomes with the same predictors, and "+
			"a comma between formulas for others: y ~ x, z ~ w")
	case left.op != opName:
		w.fail(left, fmt.Sprintf("the outcome must be a column, but `%s` is not a name", left.String()),
			"write the name of a column, in backquotes if it has spaces; compute an outcome in the data")
	default:
		y.column, y.name = w.outcomeColumn(left)
	}
	if additions != nil {
		w.additions(additions)
	}
	w.countTrials()
	w.checkOutcome()
}

func isFunction(name string) bool {
	_, ok := functions()[name]
	return ok || name == "scale" || name == "I"
}

func hasCall(n *node, name string) bool {
	return n.op == opCall && n.text == name ||
		slices.ContainsFunc(n.args, func(a *node) bool { return hasCall(a, name) })
}

// outcomeColumn declares the column of the outcome with the type that its family requires.
func (w *equation) outcomeColumn(n *node) (*Column, string) {
	c := w.column(n)
	switch {
	case w.family.hasLevels():
		return w.levelsColumn(n)
	case w.family.takes == talliesOutcome:
		w.fail(n, fmt.Sprintf("the family %s has a column for each category", w.family.name),
			"write cbind(a, b, c) ~ x; for one column with the category of each row take categorical")
	case w.family.takes == binaryOutcome && len(c.Levels) == 2:
		w.numerics[n.String()] = numeric{name: spelled(c.Name), plain: true, values: c.Values}
		return c, w.declare(c, fmt.Sprintf("bool(%s)", strconv.Quote(c.Levels[1])))
	case c.Levels != nil && w.family.takes == binaryOutcome:
		w.fail(n, fmt.Sprintf("`%s` has %s, and an outcome of the family bernoulli has two", c.Name,
			diag.Count(len(c.Levels), "level", "levels")),
			"join levels in the data, or take --family categorical, or cumulative for ordered levels")
	case c.Levels != nil:
		w.fail(n, fmt.Sprintf("`%s` has texts, and an outcome of the family %s is a number", c.Name, w.family.name),
			"--family bernoulli takes a column of two texts, cumulative one of ordered levels, categorical any other")
	case w.joint:
		w.used[c.Name] = c
		return c, spelled(c.Name)
	}
	name := w.declare(c, "")
	w.data[len(w.data)-1].missing = w.outcome.imputed
	w.numerics[n.String()] = numeric{name: name, plain: true, values: c.Values}
	return c, name
}

// levelsColumn declares an outcome with levels, which must be ordered if the family requires it.
func (w *equation) levelsColumn(n *node) (*Column, string) {
	f, typ := w.levelled(n)
	c := w.column(&node{text: f.column})
	if w.family.takes == orderedOutcome {
		w.checkOrder(n, f, typ)
	}
	w.levels = f.levels
	if len(w.levels) < 2 {
		w.fail(n, fmt.Sprintf("`%s` has %s, and an outcome of the family %s needs at least two", f.column,
			diag.Count(len(w.levels), "level", "levels"), w.family.name), "")
	}
	if len(w.levels) > manyLevels {
		w.fail(n, fmt.Sprintf("`%s` has %d levels, and the family %s takes at most %d", f.column, len(w.levels),
			w.family.name, manyLevels), "join levels in the data")
	}
	return c, w.declare(c, fmt.Sprintf("index(%s)%s", w.fresh(plural(spelled(c.Name))), typ))
}

// checkOrder reports an error for text levels whose order is not specified.
func (w *writer) checkOrder(n *node, f *factor, typ string) {
	c := w.column(&node{text: f.column})
	if typ != "" || c.Levels == nil || c.Ordered {
		return
	}
	quoted := make([]string, len(f.levels))
	for i, l := range f.levels {
		quoted[i] = strconv.Quote(l)
	}
	w.fail(n, fmt.Sprintf("the order of the levels of `%s` is not specified", f.column),
		fmt.Sprintf("write factor(%s, levels = c(%s)), with the levels in their order", f.column,
			strings.Join(shortened(quoted), ", ")))
}

// tallies declares the outcome of a multinomial distribution: a column of counts for each category.
func (w *equation) tallies(n *node) {
	d := declaration{}
	var names []string
	for _, a := range n.args {
		c := w.column(a)
		w.used[c.Name] = c
		w.levels, names = append(w.levels, c.Name), append(names, spelled(c.Name))
		d.columns = append(d.columns, strconv.Quote(c.Name))
		for i, v := range c.Values {
			if v < 0 || v != math.Trunc(v) && !math.IsNaN(v) {
				w.fail(a, fmt.Sprintf("`%s` is %v in row %d, but must be a nonnegative integer", c.Name, v, i+1),
					"")
			}
		}
	}
	if slices.ContainsFunc(w.data, func(d declaration) bool { return d.columns != nil }) {
		w.fail(n, "a model can have only one outcome with several columns", "write a separate model for each outcome")
	}
	d.name, d.set = w.fresh(strings.Join(names, "_")), w.fresh("Categories")
	w.data = append(w.data, d)
	y := &w.outcome
	y.column, y.name = w.column(n.args[0]), d.name
}

// countTrials defines the number of trials as the sum of the category counts, if the formula does not specify it.
// Predictions need it as a separate quantity, because there the counts are unknown.
func (w *equation) countTrials() {
	y := &w.outcome
	if w.family.takes != talliesOutcome || y.trials != "" {
		return
	}
	var counts []string
	for _, a := range y.node.args {
		counts = append(counts, w.number(a).name+"[i]")
	}
	y.trials = strings.Join(counts, " + ")
}

// additions reads the part after the bar of the outcome: trials(n) + weights(w).
func (w *equation) additions(n *node) {
	n = n.inner()
	if n.op == "+" {
		w.additions(n.args[0])
		w.additions(n.args[1])
		return
	}
	if n.op != opCall {
		w.refuseAddition(n)
	}
	if why, help := refused(n, outcomeForm); why != "" && n.text != "mi" {
		w.fail(n, why, help)
	}
	switch n.text {
	case "trunc":
		w.truncation(n)
		return
	case "mi":
		w.imputation(n)
		return
	case "se":
		w.standardErrors(n)
		return
	case "cens":
		w.censoring(n)
		return
	}
	if len(n.args) != 1 {
		w.fail(n, fmt.Sprintf("`%s` takes one column", n.text), "")
	}
	arg := n.args[0].inner()
	switch n.text {
	case "trials":
		text, values := w.arithmetic(arg)
		w.outcome.trials = text
		if w.family.takes != talliesOutcome {
			w.checkTrials(arg, values, 1)
		}
	case "rate":
		w.rate(arg)
	case "weights":
		w.outcome.weights = w.number(arg).name
	default:
		w.refuseAddition(n)
	}
}

func (w *equation) refuseAddition(n *node) {
	w.fail(n, fmt.Sprintf("`%s` cannot be used after the bar of an outcome", n.String()),
		"write trials(n), weights(w), cens(c), trunc(lb = 0), se(s), rate(t) or mi()")
}

// imputation checks an outcome with mi().
func (w *equation) imputation(n *node) {
	if len(n.args) > 0 {
		w.fail(n, "mi() of an outcome takes no argument", "for measurement errors of a predictor write me(x, error)")
	}
	const help = "leave out the rows without a value"
	if w.outcome.trials != "" {
		w.fail(n, "mi() does not support outcomes with trials", help)
	}
	if w.family.hasLevels() || w.outcome.column.Levels != nil {
		w.fail(n, "mi() does not support outcomes with levels", help)
	}
}

// standardErrors reads se(s) and se(s, sigma = TRUE).
func (w *equation) standardErrors(n *node) {
	for k, a := range n.args {
		switch {
		case k == 0 && n.labels[k] == "":
			w.outcome.errors = w.above0(a, "the standard error").name + "[i]"
		case n.labels[k] == "sigma" && (a.text == "TRUE" || a.text == "FALSE"):
			w.outcome.withSigma = a.text == "TRUE"
		default:
			w.fail(a, "se takes a column of standard errors, and sigma = TRUE or FALSE",
				"write se(s), or se(s, sigma = TRUE) to add the variance sigma^2")
		}
	}
	if w.outcome.errors == "" {
		w.fail(n, "se takes the column of the standard errors", "")
	}
}

// rate reads the exposure of counts.
func (w *equation) rate(arg *node) {
	if w.family.takes != countOutcome || w.link != "log" {
		w.fail(arg, "rate() is for counts with the link log", "take --family poisson or negbinomial")
	}
	v := w.above0(arg, "the exposure")
	w.outcome.exposure = &v
}

// above0 returns a quantity that must be positive.
func (w *writer) above0(n *node, called string) numeric {
	v := w.number(n)
	for i, x := range v.values {
		if x <= 0 {
			w.fail(n, fmt.Sprintf("%s is %v in row %d, but must be positive", called, x, i+1), "")
		}
	}
	return v
}

// checkTrials reports an error for numbers of trials that are not nonnegative integers or are less than the number of
// successes. With successes = 0 the values are numbers of failures, and it checks only that they are nonnegative
// integers.
func (w *equation) checkTrials(n *node, values []float64, successes float64) {
	for i, v := range values {
		y := w.outcome.column.Values[i]
		switch {
		case v < 0 || v != math.Trunc(v) && !math.IsNaN(v):
			w.fail(n, fmt.Sprintf("`%s` is %v in row %d, but must be a nonnegative integer", n.String(), v, i+1),
				"")
		case successes > 0 && y > v:
			w.fail(n, fmt.Sprintf("row %d has %v successes (`%s`) in %v trials (`%s`)", i+1, y, w.outcome.column.Name,
				v, n.String()), "the trials are successes and failures together; cbind(successes, failures) takes both")
		}
	}
}

// truncation reads trunc(lb = 0, ub = 10).
func (w *equation) truncation(n *node) {
	low, high := "-inf", "inf"
	for k, a := range n.args {
		text, _ := w.arithmetic(a.inner())
		switch label := n.labels[k]; {
		case label == "lb" || label == "" && k == 0:
			low = text
		case label == "ub" || label == "" && k == 1:
			high = text
		default:
			w.fail(a, "trunc takes lb and ub, the lower and the upper bound",
				"write trunc(lb = 0), trunc(ub = 10) or trunc(lb = 0, ub = 10)")
		}
	}
	w.outcome.truncate = low + ".." + high
}

// checkOutcome reports an error for values outside of the family's support.
func (w *equation) checkOutcome() {
	c, f := w.outcome.column, w.family
	if f.takes == talliesOutcome {
		return
	}
	if f.takes == trialsOutcome && w.outcome.trials == "" {
		w.fail(w.left, fmt.Sprintf("the family %s needs the number of trials", f.name),
			fmt.Sprintf("write %s | trials(n), or trials(10), or cbind(successes, failures); for 0 and 1 alone take "+
				"--family bernoulli", c.Name))
	}
	if f.takes != trialsOutcome && w.outcome.trials != "" {
		w.fail(w.left, "trials() and cbind() need a family that counts successes in trials; "+f.name+" is not one",
			"take --family binomial")
	}
	if c.Levels != nil {
		return
	}
	rules := map[outcome]struct {
		ok    func(v float64) bool
		words string
		help  string
	}{
		positiveOutcome: {func(v float64) bool { return v > 0 }, "above 0",
			"--family hurdle_gamma and hurdle_lognormal also take 0, gaussian any number"},
		nonNegativeOutcome: {func(v float64) bool { return v >= 0 }, "0 or above", ""},
		countOutcome: {func(v float64) bool { return v >= 0 && v == math.Trunc(v) }, "a whole number, 0 or more",
			"--family gaussian takes any number, gamma those above 0"},
		trialsOutcome: {func(v float64) bool { return v >= 0 && v == math.Trunc(v) }, "a whole number, 0 or more", ""},
		binaryOutcome: {func(v float64) bool { return v == 0 || v == 1 }, "0 or 1",
			"--family binomial takes counts, with y | trials(n)"},
		shareOutcome: {func(v float64) bool { return v > 0 && v < 1 }, "between 0 and 1, and not 0 or 1 itself",
			"--family zero_inflated_beta has zeros too"},
		shareOrZeroOutcome: {func(v float64) bool { return v >= 0 && v < 1 }, "between 0 and 1, and not 1 itself", ""},
		angleOutcome:       {func(v float64) bool { return math.Abs(v) <= math.Pi }, "an angle between -pi and pi", ""},
	}
	rule, ok := rules[f.takes]
	if !ok {
		return
	}
	for i, v := range c.Values {
		if !math.IsNaN(v) && !rule.ok(v) {
			w.fail(w.outcome.node, fmt.Sprintf("`%s` is %v in row %d; an outcome of the family %s is %s", c.Name, v,
				i+1, f.name, rule.words), rule.help)
		}
	}
}

// checkMissing reports an error for columns with missing values, unless such rows are omitted.
func (w *writer) checkMissing() {
	if w.r.Omit {
		if slices.ContainsFunc(w.equations, func(e *equation) bool { return e.outcome.imputed }) {
			panic(&Error{Message: "--omit cannot be combined with mi(), which estimates missing values",
				Help: "leave out the rows in the data, or give each column with missing values a formula"})
		}
		return
	}
	var found []string
	for _, c := range w.r.Data.Columns {
		if w.used[c.Name] == nil || w.isImputed(c.Name) {
			continue
		}
		count, first := 0, 0
		for i, v := range c.Values {
			if math.IsNaN(v) {
				count++
				if count == 1 {
					first = i + 1
				}
			}
		}
		if count > 0 {
			found = append(found, fmt.Sprintf("`%s` has no value in %d of %d rows (the first is row %d)", c.Name, count,
				w.size, first))
		}
	}
	if len(found) > 0 {
		panic(&Error{Message: diag.And(found), Help: "--omit leaves such rows out, as R does; " +
			"to estimate a column's values, give it a formula, as in y ~ mi(x), x | mi() ~ z"})
	}
}

// isImputed reports whether missing values of a column are estimated.
func (w *writer) isImputed(column string) bool {
	return slices.ContainsFunc(w.equations, func(e *equation) bool {
		return e.outcome.imputed && e.outcome.column.Name == column
	})
}
