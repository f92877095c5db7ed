package formula

import (
	"fmt"
	"slices"

	"ppl/lang/diag"
)

// specifications are the outcomes of an entire formula.
type specifications struct {
	all         []*specification
	correlation *bool // whether residuals of outcomes are correlated; nil if not specified
}

// A reader converts a formula to specifications.
type reader struct {
	formula string
	specifications
}

// readSpecifications parses a formula. It panics with an *Error if the formula has a mistake.
func readSpecifications(formula string) specifications {
	parts, err := parseFormula(formula)
	if err != nil {
		panic(err)
	}
	r := &reader{formula: formula}
	for _, part := range parts {
		r.read(part)
	}
	if len(r.all) == 0 {
		panic(&Error{Message: "the formula has no outcome",
			Help: "write it in quotes, as in 'y ~ x + (1 | group)'"})
	}
	return r.specifications
}

// read adds a formula, a call of bf, lf or set_rescor, or a sum of these.
func (r *reader) read(n *node) {
	switch {
	case n.op == "~":
		r.add(n)
	case n.op == "+" && len(n.args) == 2:
		r.read(n.args[0])
		r.read(n.args[1])
	case n.op == opCall && slices.Contains([]string{"bf", "brmsformula", "lf"}, n.text):
		r.readCall(n)
	case n.op == opCall && n.text == "set_rescor" && len(n.args) == 1:
		correlated := r.truth(n.args[0])
		r.correlation = &correlated
	default:
		r.fail(n, fmt.Sprintf("`%s` is not a formula", n), "a formula has an outcome, `~` and predictors")
	}
}

// add adds an outcome, or several for mvbind(…). If the left side names a parameter, it adds this parameter to the last
// outcome.
func (r *reader) add(n *node) {
	left, right := n.args[0], n.args[1].inner()
	if len(r.all) > 0 && left.op == opName && isParameter(left.text) {
		r.last().parameters[left.text] = n.args[1]
		return
	}
	if left.inner().op == opCall && left.inner().text == "mvbind" {
		for _, outcome := range left.inner().args {
			r.begin(outcome, right)
		}
		return
	}
	r.begin(left, n.args[1])
}

func (r *reader) begin(left, right *node) {
	r.all = append(r.all, &specification{left: left, right: right, parameters: map[string]*node{},
		fixed: map[string]*node{}, contrasted: map[string]bool{}})
}

func (r *reader) last() *specification { return r.all[len(r.all)-1] }

// readCall reads the arguments of bf and lf.
func (r *reader) readCall(n *node) {
	before := len(r.all)
	r.refuseNonlinear(n)
	for k, a := range n.args {
		switch label := n.labels[k]; {
		case label == "cmc" && len(r.all) > 0:
			r.contrast(n, before, !r.truth(a))
		case label == "" && a.op == "~" && (k == 0 || isParameter(a.args[0].text)):
			r.add(a)
		case label == "" && a.op == "~":
			r.fail(a, fmt.Sprintf("`%s` is not a parameter of any family", a.args[0]),
				"write formulas of several outcomes as bf(y ~ x) + bf(z ~ w)")
		case label == "family" && len(r.all) > 0:
			r.last().family = a.String()
		case slices.Contains([]string{"nl", "center", "decomp"}, label):
		case isParameter(label) && len(r.all) > 0 && a.op == opNumber:
			r.last().fixed[label] = a
		default:
			if label != "" {
				label += " = "
			}
			r.fail(a, fmt.Sprintf("`%s%s` cannot be an argument of %s", label, a, n.text),
				"write formulas first, as in bf(y ~ x, sigma ~ z), then family = F, values of parameters, as in "+
					"nu = 4, and cmc = FALSE")
		}
	}
}

// refuseNonlinear reports an error for nl = TRUE.
func (r *reader) refuseNonlinear(n *node) {
	if k := slices.Index(n.labels, "nl"); k >= 0 && r.truth(n.args[k]) {
		r.fail(n, "a nonlinear formula cannot be translated",
			"write the curve in the model: y[i in N] ~ Normal(a * exp(-b * x[i]), sigma)")
	}
}

// contrast sets whether factors have a reference level if there is no intercept (brms's cmc = FALSE). It applies to the
// outcomes of the call, or to the parameters of a call without an outcome.
func (r *reader) contrast(call *node, before int, is bool) {
	for _, s := range r.all[before:] {
		s.contrasted[""] = is
	}
	for _, a := range call.args {
		if len(r.all) == before && a.op == "~" {
			r.last().contrasted[a.args[0].text] = is
		}
	}
}

func (r *reader) truth(n *node) bool {
	switch n.text {
	case "TRUE", "T":
		return true
	case "FALSE", "F":
		return false
	}
	r.fail(n, fmt.Sprintf("`%s` is not TRUE or FALSE", n), "")
	return false
}

func (r *reader) fail(n *node, message, help string) {
	panic(&Error{Formula: r.formula, At: n.at, End: trimmedEnd(r.formula, n), Message: message, Help: help})
}

// isParameter reports whether some family has a parameter with this name.
func isParameter(name string) bool {
	return slices.ContainsFunc(families(), func(f family) bool { return f.parameter(name) != nil })
}

// parameter returns the auxiliary with a name, or nil if the family has none with this name.
func (f *family) parameter(name string) *auxiliary {
	k := slices.IndexFunc(f.aux, func(a auxiliary) bool { return a.name == name })
	if k < 0 {
		return nil
	}
	return &f.aux[k]
}

// checkParameters reports an error for formulas of parameters that the family does not have.
func (e *equation) checkParameters() {
	var names []string
	for _, a := range e.family.aux {
		names = append(names, a.name)
	}
	for _, given := range []map[string]*node{e.parameters, e.fixed} {
		for name, n := range given {
			if e.family.parameter(name) != nil {
				continue
			}
			help := "parameters of this family are " + diag.And(names)
			if len(names) == 0 {
				help = "leave it out; this family has no such parameters"
			}
			e.fail(n, fmt.Sprintf("the family %s has no parameter `%s`", e.family.name, name), help)
		}
	}
}
