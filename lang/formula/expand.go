package formula

import (
	"fmt"
	"slices"
	"strings"
)

// A term is a product of variables, each a column or an expression of columns, in the order of the formula. The term
// without variables is the intercept.
type term []*node

// key returns a text that is the same for terms with the same variables in any order.
func (t term) key() string {
	keys := make([]string, len(t))
	for i, v := range t {
		keys[i] = v.String()
	}
	slices.Sort(keys)
	return strings.Join(keys, "\x00")
}

// String returns a term in R's notation.
func (t term) String() string {
	if len(t) == 0 {
		return "the intercept"
	}
	keys := make([]string, len(t))
	for i, v := range t {
		keys[i] = v.String()
	}
	return strings.Join(keys, ":")
}

// cross returns the product of two terms. Variables in both occur once.
func (t term) cross(u term) term {
	both := slices.Clone(t)
	for _, v := range u {
		if !slices.ContainsFunc(both, func(w *node) bool { return w.String() == v.String() }) {
			both = append(both, v)
		}
	}
	return both
}

// terms is an ordered list of distinct terms.
type terms []term

func (ts terms) has(t term) bool {
	return slices.ContainsFunc(ts, func(u term) bool { return u.key() == t.key() })
}

func (ts terms) with(more ...term) terms {
	for _, t := range more {
		if !ts.has(t) {
			ts = append(ts, t)
		}
	}
	return ts
}

func (ts terms) without(less ...term) (left terms) {
	for _, t := range ts {
		if !terms(less).has(t) {
			left = append(left, t)
		}
	}
	return left
}

func (ts terms) cross(us terms) (all terms) {
	for _, t := range ts {
		for _, u := range us {
			all = all.with(t.cross(u))
		}
	}
	return all
}

// An expansion is the right side of a formula, multiplied out: a * b is a + b + a:b.
type expansion struct {
	terms   terms   // population terms, sorted by the number of their variables
	groups  []*node // terms of the form `effects | group`
	special []*node // calls that are separate terms, such as offset(x)
}

func (e *expansion) intercept() bool { return e.terms.has(nil) }

// An expander multiplies out one formula.
type expander struct {
	formula string
	all     func() terms                   // terms that `.` denotes
	refuse  func(n *node) (string, string) // reason why a call cannot be a term, and advice; "" if it can
	special func(n *node) bool             // reports whether a call is a separate term
}

// expand multiplies out the right side of a formula, or the effects of a group.
func (x *expander) expand(right *node) *expansion {
	e := &expansion{terms: terms{nil}}
	x.add(e, right, 1)
	slices.SortStableFunc(e.terms, func(t, u term) int { return len(t) - len(u) })
	return e
}

// add adds a summand of the right side to an expansion, or removes it if sign is negative.
func (x *expander) add(e *expansion, n *node, sign int) {
	bare := n.inner()
	switch {
	case (n.op == "+" || n.op == "-") && len(n.args) == 2:
		x.add(e, n.args[0], sign)
		if n.op == "-" {
			sign = -sign
		}
		x.add(e, n.args[1], sign)
	case n.op == "-":
		x.add(e, n.args[0], -sign)
	case n.op == "(" && (bare.op == "|" || bare.op == "||"):
		if sign < 0 {
			x.fail(n, "effects of groups cannot be subtracted", "leave the term out")
		}
		e.groups = append(e.groups, bare)
	case bare.op == "|" || bare.op == "||":
		x.fail(n, "`|` needs parentheses", "write the effects of a group as a separate term: y ~ x + (1 | group)")
	case x.special(bare):
		if sign < 0 {
			x.fail(n, "`"+bare.String()+"` cannot be subtracted", "leave the term out")
		}
		same := func(n *node) bool { return n.String() == bare.String() && n.text != "offset" }
		if !slices.ContainsFunc(e.special, same) {
			e.special = append(e.special, bare)
		}
	case bare.is(0):
		e.change(terms{nil}, -sign)
	default:
		e.change(x.set(n), sign)
	}
}

func (e *expansion) change(ts terms, sign int) {
	if sign > 0 {
		e.terms = e.terms.with(ts...)
	} else {
		e.terms = e.terms.without(ts...)
	}
}

// set returns the terms of an expression, multiplied out. It reports an error for group terms.
func (x *expander) set(n *node) terms {
	switch n.op {
	case "(":
		return x.set(n.args[0])
	case "+":
		return x.set(n.args[0]).with(x.set(n.args[1])...)
	case "-":
		if len(n.args) == 2 {
			return x.set(n.args[0]).without(x.set(n.args[1])...)
		}
	case ":":
		return x.set(n.args[0]).cross(x.set(n.args[1]))
	case "*":
		a, b := x.set(n.args[0]), x.set(n.args[1])
		return a.with(b...).with(a.cross(b)...)
	case "/":
		a := x.set(n.args[0])
		var joined term
		for _, t := range a {
			joined = joined.cross(t)
		}
		return a.with(terms{joined}.cross(x.set(n.args[1]))...)
	case "^":
		return x.power(n)
	case "|", "||":
		x.fail(n, "the effects of a group must be a separate term", "add them with `+`, as in y ~ x + (1 | group)")
	case opNumber:
		if n.is(1) {
			return terms{nil}
		}
		if n.is(0) {
			x.fail(n, "0 must be a separate term", "write y ~ 0 + x for a predictor without an intercept")
		}
		x.fail(n, "the number "+n.text+" is not a term", "0 leaves out the intercept, 1 is the intercept; "+
			"arithmetic is written in I(), as in I(2 * x)")
	case opText:
		x.fail(n, n.String()+" is a text, not a term", "write the name of a column without quotes, or in backquotes")
	case opName:
		if n.text == "." {
			return x.all()
		}
		return terms{{n}}
	case opCall:
		if why, help := x.refuse(n); why != "" {
			x.fail(n, why, help)
		}
		return terms{{n}}
	}
	x.fail(n, "`"+n.String()+"` is not a term", "arithmetic is written in I(), as in I(x / 2)")
	return nil
}

// manyTerms is the greatest number of terms of a power.
const manyTerms = 200

// power multiplies a sum by itself: (a + b)^2 = a + b + a:b.
func (x *expander) power(n *node) terms {
	count := n.args[1].inner()
	if count.op != opNumber || count.number < 1 || count.number > 20 || count.number != float64(int(count.number)) {
		x.fail(n, "the exponent of a term must be an integer from 1 to 20",
			"arithmetic is written in I(), as in I(x^2)")
	}
	if base := n.args[0]; base.op != "(" {
		x.fail(n, "`"+n.String()+"` is `"+base.String()+"` alone, as a term crossed with itself is itself",
			"write the power as I("+n.String()+")")
	}
	once := x.set(n.args[0])
	all := once
	for range min(int(count.number), len(once)) - 1 { // further powers add nothing
		all = all.with(all.cross(once)...)
		if len(all) > manyTerms {
			x.fail(n, fmt.Sprintf("`%s` has more than %d terms", n, manyTerms), "take a lower power")
		}
	}
	return all
}

func (x *expander) fail(n *node, message, help string) {
	panic(&Error{Formula: x.formula, At: n.at, End: trimmedEnd(x.formula, n), Message: message, Help: help})
}

// trimmedEnd returns the end of a node's text without trailing space, or its start if the text is not in the formula.
func trimmedEnd(formula string, n *node) int {
	if n.end > len(formula) || n.end < n.at {
		return n.at
	}
	return n.at + len(strings.TrimRight(formula[n.at:n.end], " \t\n"))
}
