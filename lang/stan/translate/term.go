package translate

import (
	"maps"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// A level is the kind of values on which an expression depends.
type level int

const (
	ofData level = iota
	ofParameters
	ofDraws // random numbers of generated quantities
)

// A plate is a loop that is written as an index.
type plate struct {
	name   string
	lo, hi term
	falls  bool // the loop runs from hi down to lo
}

// A term is an expression of ppl for one number.
type term struct {
	node    *node
	integer bool
	level   level
	plates  []*plate // plates whose index occurs in the term
	linear  *linear  // linear form of an integer; nil if there is none
	addends []term   // terms of a sum; nil for other terms

	// eval computes the value from index values; it is nil if data do not determine it.
	eval func(bindings) (float64, bool)
}

// bindings maps plates to the values of their indices.
type bindings map[*plate]float64

// value returns the value of a term without indices, if data determine it.
func (t term) value() (float64, bool) {
	if t.eval == nil {
		return 0, false
	}
	return t.eval(nil)
}

// whole returns the value as an integer. ok is false if it is not one.
func (t term) whole() (int, bool) {
	v, ok := t.value()
	if !ok || v != math.Trunc(v) || math.Abs(v) > 1<<31 {
		return 0, false
	}
	return int(v), true
}

// A linear is a constant plus a sum of coefficients times atoms.
type linear struct {
	constant int
	coefs    map[string]int
	atoms    map[string]term
}

func constants(all []int) []term {
	out := make([]term, len(all))
	for i, v := range all {
		out[i] = constant(v)
	}
	return out
}

func constant(v int) term {
	return term{node: literalOf(strconv.Itoa(v)), integer: true, linear: &linear{constant: v},
		eval: func(bindings) (float64, bool) { return float64(v), true }}
}

// wholeNumber parses a literal of digits.
func wholeNumber(text string) (int, bool) {
	v, err := strconv.Atoi(text)
	return v, err == nil
}

// number converts a literal of Stan, which may lack digits before or after its point.
func number(text string, v float64, integer bool) term {
	if integer {
		return constant(int(v))
	}
	sign := ""
	if strings.HasPrefix(text, "-") {
		sign, text = "-", text[1:]
	}
	if strings.HasPrefix(text, ".") {
		text = "0" + text
	}
	if at := strings.IndexByte(text, '.'); at >= 0 && (at+1 == len(text) || text[at+1] == 'e' || text[at+1] == 'E') {
		text = text[:at+1] + "0" + text[at+1:]
	}
	return term{node: literalOf(sign + text), eval: known(v)}
}

// real returns a literal for a computed number.
func real(v float64) term {
	switch {
	case math.IsInf(v, 1):
		return term{node: literalOf("inf"), eval: known(v)}
	case math.IsInf(v, -1):
		return term{node: literalOf("-inf"), eval: known(v)}
	}
	return number(strconv.FormatFloat(v, 'g', -1, 64), v, false)
}

func known(v float64) func(bindings) (float64, bool) {
	return func(bindings) (float64, bool) { return v, true }
}

// termOf returns a term for a tree that depends on the given terms.
func termOf(n *node, from ...term) term { return term{node: n}.from(from...) }

// callTerm returns f(args).
func callTerm(f string, args ...term) term { return termOf(callOf(f, nodesOf(args)...), args...) }

// from adds to a term the dependencies of parts.
func (t term) from(parts ...term) term {
	for _, p := range parts {
		t.level = max(t.level, p.level)
		for _, pl := range p.plates {
			if !slices.Contains(t.plates, pl) {
				t.plates = append(slices.Clip(t.plates), pl)
			}
		}
	}
	return t
}

// index returns the index of a plate as a term.
func (p *plate) index() term {
	t := term{node: finished(node{kind: kindIndex, plate: p}), integer: true, plates: []*plate{p},
		eval: func(b bindings) (float64, bool) { v, ok := b[p]; return v, ok }}
	t.linear = atomLinear(t)
	return t
}

func atomLinear(t term) *linear {
	key := t.node.key()
	return &linear{coefs: map[string]int{key: 1}, atoms: map[string]term{key: t}}
}

// isIndex reports whether a term is exactly the index of p.
func (t term) isIndex(p *plate) bool { return t.node.isIndexOf(p) }

// linearOf returns the linear form of an integer. A term without one is an atom.
func linearOf(t term) *linear {
	if t.linear != nil {
		return t.linear
	}
	return atomLinear(t)
}

// combine returns a + scale * b for integers.
func combine(a, b *linear, scale int) *linear {
	out := &linear{constant: a.constant + scale*b.constant, coefs: maps.Clone(a.coefs), atoms: maps.Clone(a.atoms)}
	if out.coefs == nil {
		out.coefs, out.atoms = map[string]int{}, map[string]term{}
	}
	for k, v := range b.coefs {
		out.coefs[k] += scale * v
		if out.coefs[k] == 0 {
			delete(out.coefs, k)
			delete(out.atoms, k)
			continue
		}
		out.atoms[k] = b.atoms[k]
	}
	return out
}

// term converts a linear form to a term: positive parts first, the constant last.
func (l *linear) term() term {
	keys := slices.Collect(maps.Keys(l.coefs))
	sort.Slice(keys, func(i, j int) bool {
		a, b := l.coefs[keys[i]] > 0, l.coefs[keys[j]] > 0
		if a != b {
			return a
		}
		return keys[i] < keys[j]
	})
	if len(keys) == 0 {
		return constant(l.constant)
	}
	var sum *node
	var parts []term
	for _, k := range keys {
		c, a := l.coefs[k], l.atoms[k]
		parts = append(parts, a)
		part := a.node
		if n := max(c, -c); n != 1 {
			part = binaryOf("*", literalOf(strconv.Itoa(n)), part)
		}
		switch {
		case sum == nil && c < 0:
			sum = unaryOf("-", part)
		case sum == nil:
			sum = part
		default:
			sum = binaryOf(map[bool]string{true: "+", false: "-"}[c > 0], sum, part)
		}
	}
	switch {
	case l.constant > 0:
		sum = binaryOf("+", sum, literalOf(strconv.Itoa(l.constant)))
	case l.constant < 0:
		sum = binaryOf("-", sum, literalOf(strconv.Itoa(-l.constant)))
	case len(keys) == 1 && l.coefs[keys[0]] == 1:
		return parts[0]
	}
	t := term{node: sum, integer: true, linear: l}.from(parts...)
	t.eval = func(bound bindings) (float64, bool) {
		sum := float64(l.constant)
		for k, c := range l.coefs {
			a := l.atoms[k]
			if a.eval == nil {
				return 0, false
			}
			v, ok := a.eval(bound)
			if !ok {
				return 0, false
			}
			sum += float64(c) * v
		}
		return sum, true
	}
	return t
}

// difference returns a - b if it is a constant.
func difference(a, b term) (int, bool) {
	if !a.integer || !b.integer {
		return 0, false
	}
	d := combine(linearOf(a), linearOf(b), -1)
	if len(d.coefs) == 0 {
		return d.constant, true
	}
	x, ok := a.whole()
	y, also := b.whole()
	return x - y, ok && also
}

func same(a, b term) bool {
	if a.node.equalTo(b.node) {
		return true
	}
	d, ok := difference(a, b)
	return ok && d == 0
}

// both returns a function that evaluates an operation of two terms, or nil if data do not determine one of them.
func both(x, y term, f func(a, b float64) float64) func(bindings) (float64, bool) {
	if x.eval == nil || y.eval == nil {
		return nil
	}
	return func(b bindings) (float64, bool) {
		v, ok := x.eval(b)
		w, also := y.eval(b)
		if !ok || !also {
			return 0, false
		}
		return f(v, w), true
	}
}

func isNumber(t term, v float64) bool {
	return t.node.kind == kindLiteral && (t.node.text == strconv.FormatFloat(v, 'g', -1, 64) ||
		t.node.text == strconv.FormatFloat(v, 'f', 1, 64))
}

func add(x, y term) term {
	switch {
	case x.integer && y.integer:
		return combine(linearOf(x), linearOf(y), 1).term()
	case isNumber(x, 0):
		return y
	case isNumber(y, 0):
		return x
	}
	t := termOf(binaryOf("+", x.node, y.node), x, y)
	t.addends = append(slices.Clone(x.parts()), y.parts()...)
	t.eval = both(x, y, func(a, b float64) float64 { return a + b })
	return t
}

// parts returns the terms of a sum, or the term itself.
func (t term) parts() []term {
	if t.addends != nil {
		return t.addends
	}
	return []term{t}
}

func subtract(x, y term) term {
	switch {
	case x.integer && y.integer:
		return combine(linearOf(x), linearOf(y), -1).term()
	case isNumber(y, 0):
		return x
	case isNumber(x, 0):
		return negate(y)
	}
	t := termOf(binaryOf("-", x.node, y.node), x, y)
	t.addends = append(slices.Clone(x.parts()), negate(y))
	t.eval = both(x, y, func(a, b float64) float64 { return a - b })
	return t
}

func negate(x term) term {
	if x.integer {
		return combine(&linear{}, linearOf(x), -1).term()
	}
	if isNumber(x, 0) {
		return x
	}
	t := termOf(x.node.negated(), x)
	if x.eval != nil {
		t.eval = func(b bindings) (float64, bool) { v, ok := x.eval(b); return -v, ok }
	}
	return t
}

func multiply(x, y term) term {
	for _, pair := range [][2]term{{x, y}, {y, x}} {
		if l := pair[0].linear; l != nil && len(l.coefs) == 0 && pair[1].integer {
			return combine(&linear{}, linearOf(pair[1]), l.constant).term()
		}
	}
	switch {
	case isNumber(x, 1):
		return y.asReal(x)
	case isNumber(y, 1):
		return x.asReal(y)
	case isNumber(x, -1):
		return negate(y).asReal(x)
	}
	t := termOf(binaryOf("*", x.node, y.node), x, y)
	t.integer = x.integer && y.integer
	t.eval = both(x, y, func(a, b float64) float64 { return a * b })
	return t
}

// asReal returns a term that is a real number if the other one is.
func (t term) asReal(other term) term {
	if !other.integer {
		return t.real()
	}
	return t
}

func divide(x, y term) term {
	if x.integer && y.integer { // Stan truncates the quotient of two ints
		t := termOf(callOf("trunc", binaryOf("/", x.node, y.node)), x, y)
		t.integer = true
		t.eval = both(x, y, func(a, b float64) float64 { return math.Trunc(a / b) })
		return t
	}
	if isNumber(y, 1) {
		return x
	}
	t := termOf(binaryOf("/", x.node, y.node), x, y)
	t.eval = both(x, y, func(a, b float64) float64 { return a / b })
	return t
}

func remainder(x, y term) term {
	t := callTerm("mod", x, y)
	t.integer = true
	t.eval = both(x, y, math.Mod)
	return t
}

func power(x, y term) term {
	if isNumber(y, 1) {
		return x
	}
	t := termOf(binaryOf("^", x.node, y.node), x, y)
	t.eval = both(x, y, math.Pow)
	return t
}

// comparison returns x op y for comparison operators, which ppl shares with Stan.
func comparison(op string, x, y term) term {
	t := termOf(binaryOf(op, x.node, y.node), x, y)
	t.integer = true
	t.eval = both(x, y, func(a, b float64) float64 { return truth(compare(op, a, b)) })
	return t
}

func compare(op string, a, b float64) bool {
	switch op {
	case "||":
		return a != 0 || b != 0
	case "&&":
		return a != 0 && b != 0
	case "==":
		return a == b
	case "!=":
		return a != b
	case "<":
		return a < b
	case "<=":
		return a <= b
	case ">":
		return a > b
	}
	return a >= b
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func not(x term) term {
	if x.node.strength() > strengthCompare {
		return comparison("==", x, constant(0))
	}
	t := termOf(unaryOf("!", x.node), x)
	t.integer = true
	if x.eval != nil {
		t.eval = func(b bindings) (float64, bool) { v, ok := x.eval(b); return truth(v == 0), ok }
	}
	return t
}

// choose returns c ? a : b, or only a or b if data decide c.
func choose(c, a, b term) term {
	if v, ok := c.value(); ok {
		if v != 0 {
			return a
		}
		return b
	}
	if a.node.equalTo(b.node) {
		return a
	}
	if t, ok := chooseAddend(c, a, b); ok {
		return t
	}
	t := termOf(conditionOf(c.node, a.node, b.node), c, a, b)
	t.integer = a.integer && b.integer
	if c.eval != nil && a.eval != nil && b.eval != nil {
		t.eval = func(bound bindings) (float64, bool) {
			v, ok := c.eval(bound)
			switch {
			case !ok:
				return 0, false
			case v != 0:
				return a.eval(bound)
			}
			return b.eval(bound)
		}
	}
	return t
}

// chooseAddend factors a carried value out of both branches: c ? s + a : s becomes s + (c ? a : 0).
func chooseAddend(c, a, b term) (term, bool) {
	for _, p := range a.parts() {
		if root, _ := p.node.root(); root == nil || !strings.HasPrefix(root.text, carriedMark) {
			continue
		}
		for _, q := range b.parts() {
			if p.node.equalTo(q.node) {
				x, y := without(a, p), without(b, p)
				return add(p, choose(c, x, y)), true
			}
		}
	}
	return term{}, false
}

// without removes one term from a sum.
func without(sum, part term) term {
	out, left := constant(0), false
	for _, p := range sum.parts() {
		if !left && p.node.equalTo(part.node) {
			left = true
			continue
		}
		out = add(out, p)
	}
	return out
}

// substitute replaces the index of a plate by a term.
func (t term) substitute(p *plate, by term) term {
	if !slices.Contains(t.plates, p) {
		return t
	}
	if t.linear != nil {
		if c := t.linear.coefs[p.name]; c != 0 {
			rest := combine(t.linear, &linear{coefs: map[string]int{p.name: c}, atoms: map[string]term{}}, -1)
			if !mentions(rest, p) {
				return combine(rest, linearOf(by), c).term()
			}
		}
	}
	out := term{node: t.node.replaced(p, by.node), integer: t.integer, level: t.level}
	for _, q := range t.plates {
		if q != p {
			out.plates = append(out.plates, q)
		}
	}
	out = out.from(by)
	for _, a := range t.addends {
		out.addends = append(out.addends, a.substitute(p, by))
	}
	if eval := t.eval; eval != nil && by.eval != nil {
		out.eval = func(b bindings) (float64, bool) {
			v, ok := by.eval(b)
			if !ok {
				return 0, false
			}
			inner := maps.Clone(b)
			if inner == nil {
				inner = bindings{}
			}
			inner[p] = v
			return eval(inner)
		}
	}
	return out
}

// has reports whether a term depends on the index of a plate.
func (t term) has(p *plate) bool { return slices.Contains(t.plates, p) }

// mentions reports whether an atom of a linear form contains the index of a plate.
func mentions(l *linear, p *plate) bool {
	for _, a := range l.atoms {
		if slices.Contains(a.plates, p) {
			return true
		}
	}
	return false
}
