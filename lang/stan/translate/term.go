package translate

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// A level says what a value depends on.
type level int

const (
	ofData level = iota
	ofParameters
	ofDraws // random numbers of generated quantities
)

// Strengths of the operators of ppl, from the loosest to the tightest.
const (
	strengthCond = iota + 1
	strengthOr
	strengthAnd
	strengthCompare
	strengthAdd
	strengthMultiply
	strengthUnary
	strengthPower
	strengthAtom
)

// A plate is a loop that is written as an index.
type plate struct {
	name   string
	lo, hi term
	falls  bool // the turns of the loop begin at hi
}

// A term is an expression of ppl for one number.
type term struct {
	text     string
	strength int
	integer  bool
	level    level
	plates   []*plate // whose index occurs in the text
	linear   *linear  // of an integer: its linear form; nil if it is none
	addends  []term   // of a sum: its parts; nil for other terms

	// eval is the value, if data decide it; nil if they do not.
	eval func(bindings) (float64, bool)
}

// bindings are the values of indices.
type bindings map[*plate]float64

// value is what a term is without an index, if data decide it.
func (t term) value() (float64, bool) {
	if t.eval == nil {
		return 0, false
	}
	return t.eval(nil)
}

// whole is the value as an integer.
func (t term) whole() (int, bool) {
	v, ok := t.value()
	if !ok || v != math.Trunc(v) || math.Abs(v) > 1<<31 {
		return 0, false
	}
	return int(v), true
}

// A linear is constant + the sum of coefficients times atoms.
type linear struct {
	constant int
	coefs    map[string]int
	atoms    map[string]term
}

func constant(v int) term {
	return term{text: strconv.Itoa(v), strength: signStrength(float64(v)), integer: true,
		linear: &linear{constant: v}, eval: func(bindings) (float64, bool) { return float64(v), true }}
}

func signStrength(v float64) int {
	if v < 0 {
		return strengthUnary
	}
	return strengthAtom
}

// number is a literal of Stan, which may lack digits on one side of its point.
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
	return term{text: sign + text, strength: signStrength(v), eval: func(bindings) (float64, bool) { return v, true }}
}

// real is a number that was computed.
func real(v float64) term {
	switch {
	case math.IsInf(v, 1):
		return term{text: "inf", strength: strengthAtom, eval: known(v)}
	case math.IsInf(v, -1):
		return term{text: "-inf", strength: strengthUnary, eval: known(v)}
	}
	return number(strconv.FormatFloat(v, 'g', -1, 64), v, false)
}

func known(v float64) func(bindings) (float64, bool) {
	return func(bindings) (float64, bool) { return v, true }
}

// atom is a name, an element or a call.
func atom(text string, from ...term) term {
	t := term{text: text, strength: strengthAtom}
	return t.from(from...)
}

// from adds what a term depends on.
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

// index is the index of a plate.
func (p *plate) index() term {
	t := term{text: p.name, strength: strengthAtom, integer: true, plates: []*plate{p},
		eval: func(b bindings) (float64, bool) { v, ok := b[p]; return v, ok }}
	t.linear = atomLinear(t)
	return t
}

func atomLinear(t term) *linear {
	key := unbound(t.text)
	return &linear{coefs: map[string]int{key: 1}, atoms: map[string]term{key: t}}
}

// linearOf is the linear form of an integer: what is none is an atom.
func linearOf(t term) *linear {
	if t.linear != nil {
		return t.linear
	}
	return atomLinear(t)
}

// at writes a term as an operand of an operator of the given strength.
func (t term) at(strength int) string {
	if t.strength < strength {
		return "(" + t.text + ")"
	}
	return t.text
}

// combine is a + scale * b for integers.
func combine(a, b *linear, scale int) *linear {
	out := &linear{constant: a.constant + scale*b.constant, coefs: maps.Clone(a.coefs), atoms: maps.Clone(a.atoms)}
	if out.coefs == nil {
		out.coefs, out.atoms = map[string]int{}, map[string]term{}
	}
	for k, v := range b.coefs {
		if out.coefs[k] += scale * v; out.coefs[k] == 0 {
			delete(out.coefs, k)
			delete(out.atoms, k)
			continue
		}
		out.atoms[k] = b.atoms[k]
	}
	return out
}

// term writes a linear form: positive parts first, the constant at the end.
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
	var b strings.Builder
	var parts []term
	for _, k := range keys {
		c, a := l.coefs[k], l.atoms[k]
		parts = append(parts, a)
		switch {
		case c < 0:
			b.WriteString(map[bool]string{true: "-", false: " - "}[b.Len() == 0])
		case b.Len() > 0:
			b.WriteString(" + ")
		}
		if n := max(c, -c); n != 1 {
			fmt.Fprintf(&b, "%d * %s", n, a.at(strengthUnary))
		} else {
			b.WriteString(a.at(strengthMultiply))
		}
	}
	switch {
	case l.constant > 0:
		fmt.Fprintf(&b, " + %d", l.constant)
	case l.constant < 0:
		fmt.Fprintf(&b, " - %d", -l.constant)
	}
	t := term{text: b.String(), strength: strengthAdd, integer: true, linear: l}.from(parts...)
	if len(keys) == 1 && l.constant == 0 {
		switch l.coefs[keys[0]] {
		case 1:
			return l.atoms[keys[0]]
		case -1:
			t.strength = strengthUnary
		default:
			t.strength = strengthMultiply
		}
	}
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

// difference is a - b if it is a constant.
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
	if unbound(a.text) == unbound(b.text) {
		return true
	}
	d, ok := difference(a, b)
	return ok && d == 0
}

// both evaluates an operation of two terms, where data decide them.
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
	return (t.text == strconv.FormatFloat(v, 'g', -1, 64) || t.text == strconv.FormatFloat(v, 'f', 1, 64))
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
	right := y.at(strengthAdd)
	op := " + "
	if strings.HasPrefix(right, "-") {
		op, right = " - ", right[1:]
	}
	t := term{text: x.at(strengthAdd) + op + right, strength: strengthAdd}.from(x, y)
	t.addends = append(slices.Clone(x.parts()), y.parts()...)
	t.eval = both(x, y, func(a, b float64) float64 { return a + b })
	return t
}

// parts are the addends of a sum, or the term itself.
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
	t := term{text: x.at(strengthAdd) + " - " + y.at(strengthMultiply), strength: strengthAdd}.from(x, y)
	if strings.HasPrefix(y.text, "-") && y.strength >= strengthMultiply {
		t.text = x.at(strengthAdd) + " + " + y.text[1:]
	}
	t.addends = append(slices.Clone(x.parts()), negate(y))
	t.eval = both(x, y, func(a, b float64) float64 { return a - b })
	return t
}

func negate(x term) term {
	if x.integer {
		return combine(&linear{}, linearOf(x), -1).term()
	}
	t := term{text: "-" + x.at(strengthUnary), strength: strengthUnary}.from(x)
	switch {
	case isNumber(x, 0):
		return x
	case strings.HasPrefix(x.text, "-") && x.strength == strengthUnary:
		t.text, t.strength = x.text[1:], strengthUnary
	case x.strength == strengthMultiply:
		t.text, t.strength = "-"+x.text, strengthMultiply
		if strings.HasPrefix(x.text, "-") {
			t.text = x.text[1:]
		}
	}
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
	t := term{text: x.at(strengthMultiply) + " * " + y.at(strengthUnary), strength: strengthMultiply,
		integer: x.integer && y.integer}.from(x, y)
	t.eval = both(x, y, func(a, b float64) float64 { return a * b })
	return t
}

// asReal is a term that is a real if the other one is.
func (t term) asReal(other term) term {
	if !other.integer {
		t.integer, t.linear = false, nil
	}
	return t
}

func divide(x, y term) term {
	if x.integer && y.integer { // Stan divides ints without a rest
		t := atom("trunc("+x.at(strengthMultiply)+" / "+y.at(strengthUnary)+")", x, y)
		t.integer = true
		t.eval = both(x, y, func(a, b float64) float64 { return math.Trunc(a / b) })
		return t
	}
	if isNumber(y, 1) {
		return x
	}
	t := term{text: x.at(strengthMultiply) + " / " + y.at(strengthUnary), strength: strengthMultiply}.from(x, y)
	t.eval = both(x, y, func(a, b float64) float64 { return a / b })
	return t
}

func remainder(x, y term) term {
	t := atom("mod("+x.text+", "+y.text+")", x, y)
	t.integer = true
	t.eval = both(x, y, math.Mod)
	return t
}

func power(x, y term) term {
	if isNumber(y, 1) {
		return x
	}
	t := term{text: x.at(strengthAtom) + "^" + y.at(strengthAtom), strength: strengthPower}.from(x, y)
	if strings.HasPrefix(x.text, "-") {
		t.text = "(" + x.text + ")^" + y.at(strengthAtom)
	}
	t.eval = both(x, y, math.Pow)
	return t
}

// comparison is x op y for the operators of conditions, which ppl shares with Stan.
func comparison(op string, x, y term) term {
	strengths := map[string]int{"||": strengthOr, "&&": strengthAnd}
	s, ok := strengths[op]
	left, right := s, s+1
	if !ok {
		s, left, right = strengthCompare, strengthAdd, strengthAdd
	}
	t := term{text: x.at(left) + " " + op + " " + y.at(right), strength: s, integer: true}.from(x, y)
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
	if x.strength > strengthCompare {
		return comparison("==", x, constant(0))
	}
	t := term{text: "!(" + x.text + ")", strength: strengthCompare, integer: true}.from(x)
	if x.eval != nil {
		t.eval = func(b bindings) (float64, bool) { v, ok := x.eval(b); return truth(v == 0), ok }
	}
	return t
}

// choose is c ? a : b, or one of them where data decide.
func choose(c, a, b term) term {
	if v, ok := c.value(); ok {
		if v != 0 {
			return a
		}
		return b
	}
	if a.text == b.text {
		return a
	}
	if t, ok := chooseAddend(c, a, b); ok {
		return t
	}
	t := term{text: c.at(strengthOr) + " ? " + a.at(strengthOr) + " : " + b.at(strengthCond), strength: strengthCond,
		integer: a.integer && b.integer}.from(c, a, b)
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

// chooseAddend takes what a loop carries out of both branches: c ? s + a : s is s + (c ? a : 0).
func chooseAddend(c, a, b term) (term, bool) {
	for _, p := range a.parts() {
		if !strings.HasPrefix(p.text, carriedMark) || !isReference(p.text) {
			continue
		}
		for _, q := range b.parts() {
			if p.text == q.text {
				x, y := without(a, p), without(b, p)
				return add(p, choose(c, x, y)), true
			}
		}
	}
	return term{}, false
}

// without is a sum less one of its addends.
func without(sum, part term) term {
	out, left := constant(0), false
	for _, p := range sum.parts() {
		if p.text == part.text && !left {
			left = true
			continue
		}
		out = add(out, p)
	}
	return out
}

// substitute puts a term in the place of the index of a plate.
func (t term) substitute(p *plate, by term) term {
	if !slices.Contains(t.plates, p) {
		return t
	}
	out := term{text: simplified(replaceName(t.text, p.name, by.at(strengthAtom))), strength: t.strength,
		integer: t.integer, level: t.level}
	if t.linear != nil {
		if c := t.linear.coefs[p.name]; c != 0 {
			rest := combine(t.linear, &linear{coefs: map[string]int{p.name: c}, atoms: map[string]term{}}, -1)
			if !mentions(rest, p) {
				return combine(rest, linearOf(by), c).term()
			}
		}
	}
	for _, q := range t.plates {
		if q != p {
			out.plates = append(out.plates, q)
		}
	}
	out = out.from(by)
	if out.text == by.at(strengthAtom) {
		out.strength = strengthAtom
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

// mentions reports whether an atom of a linear form has the index of a plate.
func mentions(l *linear, p *plate) bool {
	for _, a := range l.atoms {
		if slices.Contains(a.plates, p) {
			return true
		}
	}
	return false
}
