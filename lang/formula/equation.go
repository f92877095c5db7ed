package formula

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ppl/lang/diag"
)

// parameters maps names in braces in a distribution's text to their replacements.
type parameters map[string]string

// equation creates the equation of a specification. If the formula has several outcomes, names of its parameters end in
// the name of the outcome.
func (w *writer) equation(s *specification, several bool) *equation {
	e := &equation{writer: w, specification: s}
	given := s.family
	if given == "" {
		given = w.r.Family
	}
	e.family, e.link = findFamily(given)
	e.residual = slices.ContainsFunc(e.family.aux, func(a auxiliary) bool { return strings.Contains(a.prior, "{sd}") })
	if several {
		e.name = joined(outcomeOf(s.left).String())
	}
	e.checkParameters()
	return e
}

// outcomeOf returns the left side of a formula without the part after its bar.
func outcomeOf(left *node) *node {
	left = left.inner()
	if left.op == "|" {
		left = left.args[0].inner()
	}
	return left
}

// named returns the name of a parameter of this outcome: sigma, or sigma_y if y is one of several outcomes.
func (e *equation) named(parameter string) string {
	if e.name == "" {
		return parameter
	}
	if parameter == "" {
		return e.name
	}
	return parameter + "_" + e.name
}

// predictAll writes the priors of all parameters of the distribution. It returns the replacements of their names.
func (e *equation) predictAll() parameters {
	fill := parameters{"trials": e.outcome.trials}
	e.predictMean(fill)
	fill["cut"] = e.cut
	for _, a := range e.family.aux {
		fill[a.name] = e.auxiliary(a)
	}
	e.addErrors(fill)
	for _, d := range e.family.define {
		if text := filled(d.text, fill); d.axis == "" && !strings.Contains(text, "[i]") {
			fill[d.name] = e.fresh(e.named(d.name))
			e.statement(fill[d.name]+" = "+text, d.why)
		}
	}
	return fill
}

// predictMean writes the predictor of the mean, or the predictors of all categories but the first.
func (e *equation) predictMean(fill parameters) {
	name := "eta"
	if e.link == "identity" && !e.family.categories {
		name = "mu"
	}
	if !e.family.categories {
		eta := e.fresh(e.named(name))
		fill["eta"] = eta + "[i]"
		e.sums = append(e.sums, sum{eta, "{eta}", e.predictor(e.meanPredictor(""), e.right)})
		return
	}
	logits := []string{"0"}
	for _, level := range e.levels[1:] {
		parameter := "mu" + joined(level)
		eta := e.fresh(e.named(parameter))
		logits = append(logits, eta+"[i]")
		e.sums = append(e.sums, sum{eta, "{eta}", e.predictor(e.meanPredictor(parameter), e.right)})
	}
	fill["logits"] = "[" + strings.Join(logits, ", ") + "]"
}

// meanPredictor creates the predictor of the mean or of a category.
func (e *equation) meanPredictor(parameter string) *predictor {
	p := &predictor{of: e.named(parameter), scale: 1, spread: 2.5}
	if sd := e.spread(); e.residual && e.link == "identity" {
		p.scale, p.words = sd, e.spreadWords()
	}
	p.start, p.origin = e.middle()
	return p
}

// auxiliary writes the prior or the predictor of an additional parameter of the family, unless its value is given. It
// returns the value of the parameter as an expression, at row i if the value depends on the row.
func (e *equation) auxiliary(a auxiliary) string {
	if a.prior == "" {
		return e.multiplier(a)
	}
	if n, ok := e.fixed[a.name]; ok {
		return decimal(n.text)
	}
	if a.name == "sigma" && e.knownErrors() {
		return e.outcome.errors
	}
	right, ok := e.parameters[a.name]
	if !ok {
		name := e.fresh(e.named(a.name))
		prior := strings.ReplaceAll(a.prior, "{sd}", rounded(e.spread()))
		e.prior(name, a.name, name, prior, strings.ReplaceAll(a.why, "{sdwords}", e.spreadWords()))
		return name
	}
	return e.predicted(a, right)
}

// predicted writes the predictor of an additional parameter, and returns the parameter at row i.
func (e *equation) predicted(a auxiliary, right *node) string {
	name := e.fresh(e.named(a.name))
	p := &predictor{of: e.named(a.name), parameter: a.name, scale: 1, spread: a.spread}
	p.start, p.origin = e.startOf(a)
	e.sums = append(e.sums, sum{name, links()[a.link], e.predictor(p, right)})
	return name + "[i]"
}

// multiplier returns an auxiliary that multiplies an expression as text, such as `2 * `, or "" if the formula does not
// mention it. It reports an error if the auxiliary's predictor has an intercept.
func (e *equation) multiplier(a auxiliary) string {
	if n, ok := e.fixed[a.name]; ok {
		return decimal(n.text) + " * "
	}
	right, ok := e.parameters[a.name]
	if !ok {
		return ""
	}
	if x := e.expander(isTerm).expand(right); x.intercept() {
		help := fmt.Sprintf("write lf(%s ~ %s - 1); for factors, add the argument cmc = FALSE to lf", a.name, right)
		if len(x.terms) == 1 && len(x.groups)+len(x.special) == 0 {
			help = fmt.Sprintf("leave out the formula of `%s`", a.name)
		}
		e.fail(right, fmt.Sprintf("an intercept of `%s` would multiply the coefficients and cut points by a common "+
			"factor, which the data cannot determine", a.name), help)
	}
	return e.predicted(a, right) + " * "
}

// startOf returns the prior mean of the intercept of an additional parameter, on the scale of its link.
func (e *equation) startOf(a auxiliary) (at float64, words string) {
	at = a.typical
	if at == 0 {
		at, words = e.spread(), e.spreadWords()
	}
	switch a.link {
	case "log":
		if words != "" {
			words = "log(" + words + ")"
		}
		return math.Log(at), words
	case "logit":
		return math.Log(at / (1 - at)), words
	}
	return 0, ""
}

// predictor adds the terms of the right side of a formula to a predictor.
func (e *equation) predictor(p *predictor, right *node) *predictor {
	x := e.expander(isTerm).expand(right)
	switch p.centre = x.intercept(); {
	case !p.centre && e.cutsOf(p):
		e.fail(right, "an ordered outcome has cut points instead of an intercept", "leave out the 0 or -1")
	case !p.centre && e.hazardOf(p):
		e.fail(right, "a hazard has a level for each interval instead of an intercept", "leave out the 0 or -1")
	}
	offsets := e.offsets(p, x)
	e.population(p, x.terms)
	p.summands = append(p.summands, offsets...)
	for _, n := range x.special {
		e.addSpecial(p, n)
	}
	for _, g := range x.groups {
		e.group(p, g)
	}
	if len(p.summands)+len(p.grouped) == 0 {
		p.summands = []string{"0"}
	}
	return p
}

// isTerm reports whether a call is a term by itself, such as offset(x) or s(x), and not a variable within a term.
func isTerm(n *node) bool {
	f, ok := findForm(n.text)
	return n.op == opCall && ok && f.role == termForm
}

// offsets returns quantities that are added to a predictor without a coefficient. They shift the prior mean of its
// intercept.
func (e *equation) offsets(p *predictor, x *expansion) (summands []string) {
	for _, n := range x.special {
		if n.text != "offset" {
			continue
		}
		if len(n.args) != 1 {
			e.fail(n, "offset takes one column", "")
		}
		v := e.number(n.args[0])
		p.shiftStart(meanOf(v.values), "mean("+v.name+")")
		summands = append(summands, v.name+"[i]")
	}
	if v := e.outcome.exposure; v != nil && p.of == e.named("") {
		p.shiftStart(math.Log(meanOf(v.values)), "log(mean("+v.name+"))")
		summands = append(summands, "log("+v.name+"[i])")
	}
	return summands
}

// shiftStart subtracts the contribution of other parts of the predictor from the prior mean of the intercept.
func (p *predictor) shiftStart(by float64, words string) {
	p.start -= by
	p.origin = strings.TrimSpace(p.origin + " - " + words)
}

// cutsOf reports whether a predictor has cut points instead of an intercept.
func (e *equation) cutsOf(p *predictor) bool {
	return e.family.takes == orderedOutcome && p.of == e.named("")
}

// intercept writes the prior of the intercept, which is the value of the predictor if all centred quantities are at
// their means. An ordered outcome has cut points instead, and a hazard has a level for each time interval.
func (e *equation) intercept(p *predictor) {
	shift := strings.Join(p.shift, " - ")
	switch {
	case e.cutsOf(p):
		e.cutPoints(p)
		return
	case e.hazardOf(p):
		e.hazardLevels()
		return
	}
	name := e.fresh(p.named("b", "Intercept"))
	if shift != "" {
		centred := "Intercept"
		if p.of != "" {
			centred += "_" + p.of
		}
		centred = e.fresh(centred)
		e.generated = append(e.generated, fmt.Sprintf("%s = %s - %s", name, centred, shift))
		name = centred
	}
	p.summands = append(p.summands, name)
	around := shortest(p.spread)
	if p.words != "" {
		around += " " + p.words
	}
	why := fmt.Sprintf("%s, %s", p.origin, around)
	if p.origin == "" {
		why = ""
	}
	if shift != "" {
		why = strings.TrimSuffix("predictors at their means: "+why, ": ")
	}
	e.prior(name, "Intercept", name, fmt.Sprintf("Normal(%s, %s)", rounded(p.start), rounded(p.spread*p.scale)), why)
}

// cutPoints writes the prior of the cut points of an ordered outcome.
func (e *equation) cutPoints(p *predictor) {
	e.cut = e.fresh(e.named("cut"))
	axes := fmt.Sprintf("%s[1..%d]", e.cut, len(e.levels)-1)
	prior := "Normal(0, 5)"
	if e.family.increasing {
		prior += " ordered"
	}
	e.prior(e.cut, "cut", axes, prior, "")
	if len(p.shift) > 0 {
		e.generated = append(e.generated, fmt.Sprintf("%s[k in 1..%d] = %s[k] + %s", e.fresh(e.named("b_cut")),
			len(e.levels)-1, e.cut, strings.Join(p.shift, " + ")))
	}
}

// spread returns the standard deviation of the outcome; for lognormal families, that of its logarithm. It returns 1 if
// the outcome has levels or does not vary.
func (e *equation) spread() float64 {
	if e.outcome.column.Levels != nil {
		return 1
	}
	if s := sdOf(e.onScale()); s > 0 {
		return s
	}
	return 1
}

// onScale returns the values of the outcome that are present; for lognormal families, the logarithms of those above 0.
func (e *equation) onScale() (values []float64) {
	for _, v := range present(e.outcome.column.Values) {
		switch {
		case !e.family.logarithm:
			values = append(values, v)
		case v > 0:
			values = append(values, math.Log(v))
		}
	}
	return values
}

func (e *equation) spreadWords() string {
	if e.family.logarithm {
		return fmt.Sprintf("sd(log(%s))", e.outcome.name)
	}
	return fmt.Sprintf("sd(%s)", e.outcome.name)
}

// middle returns the value of the predictor that corresponds to the mean of the outcome, and its formula. It returns 0
// and "" if the prior of the intercept is centred at 0, as for probabilities and outcomes with levels.
func (e *equation) middle() (value float64, words string) {
	if c := e.outcome.column; c.Levels != nil || e.outcome.trials != "" || e.family.categories {
		return 0, ""
	}
	m := meanOf(e.onScale())
	of := map[string]func(float64) float64{
		"log": math.Log, "inverse": func(m float64) float64 { return 1 / m }, "sqrt": math.Sqrt,
		"1/mu^2": func(m float64) float64 { return 1 / (m * m) },
	}
	if e.family.logarithm {
		return m, fmt.Sprintf("mean(log(%s))", e.outcome.name)
	}
	if e.link == "identity" {
		return m, fmt.Sprintf("mean(%s)", e.outcome.name)
	}
	if f, ok := of[e.link]; ok && m > 0 && e.family.takes != binaryOutcome {
		words := map[string]string{"log": "log(mean(%s))", "inverse": "1 / mean(%s)", "sqrt": "sqrt(mean(%s))",
			"1/mu^2": "1 / mean(%s)^2"}[e.link]
		return f(m), fmt.Sprintf(words, e.outcome.name)
	}
	return 0, ""
}

// expander returns an expander for this formula. `.` means all columns that the model does not use yet.
func (w *writer) expander(special func(n *node) bool) *expander {
	return &expander{formula: w.r.Formula, special: special,
		refuse: func(n *node) (string, string) { return refused(n, variableForm) },
		all: func() (all terms) {
			for _, c := range w.r.Data.Columns {
				if w.used[c.Name] == nil {
					all = append(all, term{{op: opName, text: c.Name}})
				}
			}
			return all
		}}
}

// addErrors adds the variances of se(s, sigma = TRUE) to that of the family. It reports an error if the formula has
// se() and the family has no standard deviation.
func (e *equation) addErrors(fill parameters) {
	if e.outcome.errors == "" {
		return
	}
	if e.family.parameter("sigma") == nil {
		e.fail(e.left, fmt.Sprintf("se() needs a family with the parameter sigma, and %s has none", e.family.name),
			"take gaussian or student")
	}
	if e.outcome.withSigma {
		fill["sigma"] = fmt.Sprintf("sqrt(%s^2 + %s^2)", fill["sigma"], e.outcome.errors)
	}
}

// writeSums writes the definitions with a value for each row: those of predictors, and those that the family requires.
func (e *equation) writeSums(fill parameters) {
	for _, s := range e.sums {
		e.writeSum(s.name, s.of, s.p)
	}
	fill["cuts"], fill["levels"] = fmt.Sprint(len(e.levels)-1), fmt.Sprint(len(e.levels))
	for _, d := range e.family.define {
		if fill[d.name] != "" && d.axis == "" {
			continue
		}
		if fill[d.name] == "" {
			fill[d.name] = e.fresh(e.named(d.name)) + "[i]"
		}
		axes := "i in " + e.rows
		if d.axis != "" {
			axes += ", " + filled(d.axis, fill)
		}
		e.statement(strings.Replace(fill[d.name], "[i]", "["+axes+"]", 1)+" = "+filled(d.text, fill), d.why)
	}
}

// mean returns the expression of the mean at row i.
func (e *equation) mean(fill parameters) string {
	return strings.ReplaceAll(links()[e.link], "{eta}", fill["eta"])
}

// observe writes the distribution of the outcome.
func (e *equation) observe(fill parameters) {
	if e.family.hazard {
		e.observeHazard(fill)
		return
	}
	y := e.outcome
	text, direct := e.family.direct[e.link]
	if !direct {
		text = strings.ReplaceAll(e.family.dist, "{mean}", e.mean(fill))
	}
	text = filled(text, fill)
	if y.truncate != "" {
		text += " in " + y.truncate
	}
	text += y.known
	if y.weights != "" {
		text += fmt.Sprintf(" weight %s[i]", y.weights)
	}
	left := y.name
	if y.lower != "" {
		left = y.lower
	}
	e.statements = append(e.statements, fmt.Sprintf("%s[i in %s] ~ %s", left, e.rows, text))
}

// areJoint reports whether the outcomes have correlated residuals. If the formula does not specify it, they have, as in
// brms, if there are several outcomes, all are normal, and none has a bar, as in y | mi().
func (w *writer) areJoint(asked *bool) bool {
	if len(w.equations) < 2 || asked != nil && !*asked {
		return false
	}
	for _, e := range w.equations {
		if e.family.name == "gaussian" && e.left.inner().op != "|" {
			continue
		}
		if asked != nil {
			why := fmt.Sprintf("and `%s` has the family %s", outcomeOf(e.left), e.family.name)
			if e.family.name == "gaussian" {
				why = fmt.Sprintf("without a bar as in `%s`", e.left)
			}
			e.fail(e.left, "residuals can be correlated only between outcomes of the family gaussian, "+why,
				"leave out set_rescor(TRUE)")
		}
		return false
	}
	return true
}

// correlateResiduals declares joint outcomes as one matrix, and writes the prior of the residuals' correlations. It
// returns the names of both, or "" for outcomes that are not joint.
func (w *writer) correlateResiduals(joint bool) (outcomes, correlation string) {
	if !joint {
		return "", ""
	}
	d := declaration{}
	var names []string
	for _, e := range w.equations {
		names = append(names, e.outcome.name)
		d.columns = append(d.columns, strconv.Quote(e.outcome.column.Name))
	}
	d.name, d.set = w.fresh(strings.Join(names, "_")), w.fresh("Outcomes")
	w.data = slices.Insert(w.data, 0, d)
	correlation = w.fresh("rescor")
	w.prior(correlation, "rescor", fmt.Sprintf("%s[%s, %[2]s]", correlation, d.set), "LKJ(1)",
		"of the residuals of "+diag.And(names))
	return d.name, correlation
}

// observeJointly writes the distribution of outcomes with correlated residuals.
func (w *writer) observeJointly(outcomes, correlation string, all []parameters) {
	var means, sds []string
	for k, e := range w.equations {
		means, sds = append(means, e.mean(all[k])), append(sds, all[k]["sigma"])
	}
	w.statements = append(w.statements, fmt.Sprintf("%s[i in %s] ~ MvNormal([%s], sd = [%s], corr = %s)", outcomes,
		w.rows, strings.Join(means, ", "), strings.Join(sds, ", "), correlation))
}

// population adds terms to a predictor, and writes the priors of their coefficients and of the intercept.
func (w *equation) population(p *predictor, ts terms) {
	var all []coefficient
	coded := ts
	if w.contrasted[p.parameter] {
		coded = ts.with(nil)
	}
	for _, t := range ts {
		if len(t) > 0 {
			w.refuseOutcome(t)
			all = append(all, w.coefficients(p, coded, t)...)
		}
	}
	w.checkRank(ts.has(nil), all)
	effects := make([]string, len(all))
	for k := range all {
		c := &all[k]
		c.effects = c.name
		if w.sum && c.contrasts() > 1 {
			c.effects = w.fresh("effect_" + strings.TrimPrefix(c.name, "b_"))
		}
		effects[k] = w.summand(p, *c)
	}
	if ts.has(nil) {
		w.intercept(p)
	}
	for _, c := range all {
		w.coefficientPrior(p, c)
	}
	p.summands = append(p.summands, effects...)
}

// translate writes the model.
func (w *writer) translate() {
	said := readSpecifications(w.r.Formula)
	if w.size == 0 {
		panic(&Error{Message: w.r.Data.Path + " has no rows"})
	}
	w.rows = w.fresh("N")
	for _, s := range said.all {
		w.equations = append(w.equations, w.equation(s, len(said.all) > 1))
	}
	joint := w.areJoint(said.correlation)
	for k, e := range w.equations {
		e.joint = joint
		e.respond()
		for _, other := range w.equations[:k] {
			if other.outcome.column == e.outcome.column {
				e.fail(e.left, fmt.Sprintf("`%s` is the outcome of two formulas", e.outcome.column.Name),
					"leave one of them out")
			}
		}
	}
	var parameters []parameters
	for _, e := range w.equations {
		parameters = append(parameters, e.predictAll())
	}
	w.writeShared()
	outcomes, correlation := w.correlateResiduals(joint)
	w.statements = append(w.statements, "")
	for k, e := range w.equations {
		e.writeSums(parameters[k])
		if !joint {
			e.observe(parameters[k])
		}
	}
	if joint {
		w.observeJointly(outcomes, correlation, parameters)
	}
	w.checkPriors()
	w.checkMissing()
}
