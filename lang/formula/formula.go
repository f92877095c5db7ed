// Package formula writes a model for a formula of R, as lme4, rstanarm and brms read them. It writes text, which the
// rest of ppl compiles like any other model, and which a person edits from there:
//
//	text, err := formula.Model(formula.Request{Formula: "Reaction ~ Days + (1 + Days | Subject)", Data: table})
//
// The steps: grammar.go parses the formula, and equations.go reads which formulas it has: one for each outcome, and for
// parameters such as sigma. expand.go multiplies out `*`, `:`, `/` and `^`; columns.go, predictor.go and groups.go turn
// what results into columns, coefficients and effects of groups, unknown.go and smooth.go what is not a column of the
// data; rank.go refuses collinear terms. outcome.go and family.go have the outcome and its distribution; equation.go
// puts the statements of an outcome together, write.go those of the model. terms.go lists every function that a formula
// of R may call, with what becomes of it.
//
// Names of results are those of brms: b_Days, sd_Subject__Days, r_Subject, sigma. Elements are named by the model:
// b_period[2] is R's period2, where the reference level b_period[1] is 0, and r_Subject[308, 2] the effect of
// Days, if that is the second one of Subject, which a comment of the model says. Columns are centred in the text, as in
// b_Days * (Days[i] - mean(Days)), so that Intercept is the predictor at their means; b_Intercept is that at 0, as in
// R.
package formula

import (
	"fmt"
	"strings"
)

// A Column describes one column of the data.
type Column struct {
	Name    string    // as it is in the file
	Levels  []string  // of texts, in their order; nil for numbers
	Ordered bool      // the levels have an order of their own, not that of the alphabet
	Values  []float64 // the numbers, of texts the place of each in Levels, from 1; NaN if there is no value
}

// A Table describes the data.
type Table struct {
	Path    string // the file that the model names
	Columns []Column
}

// A Request says which model is wanted. Empty fields have their defaults.
type Request struct {
	Formula   string
	Data      Table
	Family    string   // a name of Families, also with a link, as in binomial(probit); gaussian if it is empty
	Contrasts string   // treatment, the default, or sum
	Priors    []string // NAME=DISTRIBUTION, each instead of the default prior of a name; b is all coefficients
	Omit      bool     // leave out rows in which a column of the model has no value
}

// An Error is a mistake in a formula.
type Error struct {
	Formula string
	At, End int // the bytes of Formula that are wrong; nothing is marked if both are 0
	Message string
	Help    string // how to correct it; may be empty
}

// Error returns the message, with the formula and a mark below what is wrong in it.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Message)
	if e.End > e.At {
		before := []rune(e.Formula[:e.At])
		marked := []rune(e.Formula[e.At:e.End])
		fmt.Fprintf(&b, "\n  %s\n  %s%s", e.Formula, strings.Repeat(" ", len(before)), strings.Repeat("^", len(marked)))
	}
	if e.Help != "" {
		b.WriteString("\n  help: " + e.Help)
	}
	return b.String()
}

// Model returns the text of the model in canonical form. Errors are of type *Error.
func Model(r Request) (text string, err error) {
	defer func() { // what is found wrong deep in a formula ends the translation
		if cause := recover(); cause != nil {
			e, ok := cause.(*Error)
			if !ok {
				panic(cause)
			}
			text, err = "", e
		}
	}()
	if !strings.Contains(r.Formula, "~") {
		return "", &Error{Message: "a formula has an outcome, `~` and predictors",
			Help: "write it in quotes, as in 'y ~ x + (1 | group)'"}
	}
	w := newWriter(r)
	w.translate()
	return w.text(), nil
}

// Outcome returns the name of the outcome of a formula, which is a name for its model; false if it has none.
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
