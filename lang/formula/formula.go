// Package formula writes a model for an R formula in the dialect of lme4, rstanarm and brms. It returns text, which ppl
// compiles like any other model, and which users can edit:
//
//	text, err := formula.Model(formula.Request{Formula: "Reaction ~ Days + (1 + Days | Subject)", Data: table})
//
// grammar.go parses the formula. equations.go splits it into one specification for each outcome, including formulas for
// parameters such as sigma. expand.go multiplies out `*`, `:`, `/` and `^`. columns.go, predictor.go and groups.go
// convert the terms to columns, coefficients and group effects; unknown.go and smooth.go handle quantities that are not
// columns of the data; rank.go reports collinear terms. outcome.go, censored.go, hazard.go and family.go write the
// outcome and its distribution. equation.go writes the statements of one outcome, write.go those of the model. terms.go
// lists every function that an R formula may call.
//
// Results have the names of brms: b_Days, sd_Subject__Days, r_Subject, sigma. Their elements are indexed: b_period[2]
// is R's period2, and b_period[1], of the reference level, is 0. r_Subject[308, 2] is subject 308's effect of Days if
// Days is the second effect of Subject; a comment in the model lists the effects in order. The model centres columns,
// as in b_Days * (Days[i] - mean(Days)), so that Intercept is the predictor at their means; b_Intercept is the
// predictor at 0, as in R.
package formula

import (
	"strings"
)

// Model returns the text of the model in canonical form. Errors are of type *Error.
func Model(r Request) (text string, err error) {
	defer func() { // errors deep in a formula end the translation by a panic
		if cause := recover(); cause != nil {
			e, ok := cause.(*Error)
			if !ok {
				panic(cause)
			}
			text, err = "", e
		}
	}()
	if !strings.Contains(r.Formula, "~") {
		return "", &Error{Message: "the formula has no `~` between an outcome and predictors",
			Help: "write it in quotes, as in 'y ~ x + (1 | group)'"}
	}
	w := newWriter(r)
	w.translate()
	return w.text(), nil
}

// Outcome returns the name of the first outcome of a formula, which can serve as the model's name. ok is false if the
// formula cannot be parsed or does not begin with a name.
func Outcome(text string) (name string, ok bool) {
	parts, err := parseFormula(text)
	if err != nil {
		return "", false
	}
	n := parts[0]
	for n.op != opName && len(n.args) > 0 {
		n = n.args[0]
	}
	return spelled(n.text), n.op == opName
}
