package bugs

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ppl/lang/diag"
	"ppl/lang/source"
)

// Precedences of ppl's operators, from the loosest to the tightest.
const (
	condition = iota + 1
	or
	and
	compare
	sum
	product
	sign
	power
	atom
)

// An operand is an expression of ppl and the precedence of its loosest operator outside of brackets.
type operand struct {
	text     string
	strength int
}

// at returns the text, in parentheses if its precedence is less than strength.
func (o operand) at(strength int) string {
	if o.strength < strength {
		return "(" + o.text + ")"
	}
	return o.text
}

// operators maps an operator of BUGS to its precedence and its ppl form.
var operators = map[string]struct {
	strength int
	text     string
}{"||": {or, "||"}, "&&": {and, "&&"}, "==": {compare, "=="}, "!=": {compare, "!="}, "<": {compare, "<"},
	"<=": {compare, "<="}, ">": {compare, ">"}, ">=": {compare, ">="}, "+": {sum, "+"}, "-": {sum, "-"},
	"*": {product, "*"}, "/": {product, "/"}, "%*%": {product, "@"}, "^": {power, "^"}}

// expr translates an expression. Powers associate to the right, other operators to the left.
func (w *writer) expr(e *exprTree) operand {
	terms, ops := []*termTree{e.Head}, []string{}
	for _, t := range e.Tail {
		ops, terms = append(ops, t.Op+t.More), append(terms, t.Term)
	}
	return w.chain(terms, ops)
}

// chain translates terms with the operators between them. It splits the list at the loosest operator: at the last one
// of several, or at the first one of powers.
func (w *writer) chain(terms []*termTree, ops []string) operand {
	if len(ops) == 0 {
		return w.term(terms[0])
	}
	at := 0
	for i, op := range ops {
		loose, here := operators[ops[at]].strength, operators[op].strength
		if here < loose || here == loose && op != "^" {
			at = i
		}
	}
	o := operators[ops[at]]
	right := w.chain(terms[at+1:], ops[at+1:])
	if o.strength == power {
		return w.raised(terms[:at+1], ops[:at], right)
	}
	left := w.chain(terms[:at+1], ops[:at])
	needLeft, needRight := o.strength, o.strength+1
	if o.strength == compare {
		needLeft = sum
	}
	return operand{left.at(needLeft) + " " + o.text + " " + right.at(needRight), o.strength}
}

// raised returns a power. A sign before it applies to the power.
func (w *writer) raised(terms []*termTree, ops []string, right operand) operand {
	base := *terms[0]
	signs := base.Signs
	base.Signs = nil
	left := w.chain(append([]*termTree{&base}, terms[1:]...), ops)
	return signed(signs, operand{left.at(atom) + "^" + right.at(atom), power})
}

func (w *writer) term(t *termTree) operand { return signed(t.Signs, w.atom(t.Atom)) }

func signed(signs []string, o operand) operand {
	for i := len(signs) - 1; i >= 0; i-- {
		switch signs[i] {
		case "-":
			o = operand{"-" + o.at(power), sign}
		case "!":
			o = operand{"!(" + o.text + ")", sign}
		}
	}
	return o
}

func (w *writer) atom(a *atomTree) operand {
	switch {
	case a.Number != "":
		if _, err := strconv.ParseFloat(a.Number, 64); err != nil {
			w.mistake(a.span(w.src), diag.BadNumber, "`"+a.Number+"` is too large for a number")
			return operand{"0", atom}
		}
		return operand{number(a.Number), atom}
	case a.Paren != nil:
		return w.expr(a.Paren)
	case a.Name.Call != nil:
		return w.call(a.Name)
	}
	return w.read(a.Name)
}

// number adds the zeros that ppl requires on both sides of a decimal point.
func number(text string) string {
	if strings.HasPrefix(text, ".") {
		text = "0" + text
	}
	return pointEnd.ReplaceAllString(text, ".0$1")
}

var pointEnd = regexp.MustCompile(`\.([eE]|$)`)

func (w *writer) call(c *nameTree) operand {
	f, ok := functions[c.Name]
	if !ok {
		w.mistake(c.span(w.src), diag.Undefined, "the function `"+c.Name+"` is not in ppl").
			Help("%s", diag.MeantAmong(slices.Sorted(maps.Keys(functions)), "`%s`", c.Name,
				"write it by other functions, or compute it in the data"))
		return operand{"0", atom}
	}
	args := make([]operand, len(c.Call.Args))
	for i, a := range c.Call.Args {
		args[i] = w.expr(a)
	}
	if f.n < 0 {
		texts := make([]string, len(args))
		for i, a := range args {
			texts[i] = a.text
		}
		return operand{f.text + "(" + strings.Join(texts, ", ") + ")", atom}
	}
	if len(args) != f.n {
		w.mistake(c.span(w.src), diag.Arguments, "`"+c.Name+"` takes "+diag.Count(f.n, "argument", "arguments"))
		return operand{"0", atom}
	}
	return filled(f.text, args)
}

// filled inserts arguments into a template, with parentheses if the operators next to a placeholder require them.
func filled(text string, args []operand) operand {
	out, from := "", 0
	for _, at := range places.FindAllStringIndex(text, -1) {
		i, _ := strconv.Atoi(text[at[0]+1 : at[1]])
		left, right := strings.TrimRight(text[:at[0]], " "), strings.TrimLeft(text[at[1]:], " ")
		need := max(neighbour(left, true), neighbour(right, false))
		out += text[from:at[0]] + args[i-1].at(need)
		from = at[1]
	}
	return operand{out + text[from:], looseness(text)}
}

// neighbour returns the precedence that an operand next to a text needs to stand without parentheses. before means that
// the text comes before the operand.
func neighbour(text string, before bool) int {
	for _, n := range []struct {
		op    string
		needs int
	}{{"^", atom}, {"/", sign}, {"@", sign}, {"*", sign}, {"+", product}, {">=", sum}, {"==", sum},
		{"?", sum}} {
		if before && strings.HasSuffix(text, n.op) || !before && strings.HasPrefix(text, n.op) {
			return n.needs
		}
	}
	if !before && strings.HasPrefix(text, ": ") {
		return sum
	}
	return 0
}

var places = regexp.MustCompile(`\$[0-9]`)

// looseness returns the precedence of the loosest operator of a template.
func looseness(text string) int {
	switch {
	case strings.Contains(text, " ? "):
		return condition
	case strings.Contains(text, "("):
		return atom
	case strings.Contains(text, "="):
		return compare
	case strings.Contains(text, "@"):
		return product
	case strings.Contains(text, "^"):
		return power
	}
	return atom
}

// subs returns the subscripts of a node. A nil subscript means an entire axis.
func (n *nameTree) subs() []*subTree {
	if n.Subs == nil {
		return nil
	}
	var out []*subTree
	more := n.Subs.More
	out = append(out, n.Subs.First)
	if n.Subs.First == nil {
		more = n.Subs.Only
	}
	for _, m := range more {
		out = append(out, m.Sub)
	}
	return out
}

// read translates a variable or loop index in an expression.
func (w *writer) read(n *nameTree) operand {
	if by, ok := w.indices[n.Name]; ok && n.Subs == nil {
		return by
	}
	name := w.name(n.Name)
	var texts, binders []string
	for i, s := range n.subs() {
		switch {
		case s == nil || s.Hi != nil && w.isAxis(n.Name, i, s):
			texts = append(texts, "_")
		case s.Hi == nil:
			texts = append(texts, w.expr(s.Lo).text)
		default:
			k := w.fresh("k")
			binders = append(binders, k+" in "+w.expr(s.Lo).at(sum)+".."+w.expr(s.Hi).at(sum))
			texts = append(texts, k)
		}
	}
	for len(texts) > 0 && texts[len(texts)-1] == "_" {
		texts = texts[:len(texts)-1]
	}
	if len(texts) > 0 {
		name += "[" + strings.Join(texts, ", ") + "]"
	}
	if len(binders) > 0 {
		name = "[" + strings.Join(binders, ", ") + ": " + name + "]"
	}
	return operand{name, atom}
}

// isAxis reports whether a range is an entire axis.
func (w *writer) isAxis(name string, axis int, s *subTree) bool {
	return w.expr(s.Lo).text == "1" && w.expr(s.Hi).text == w.sizes[name].text(axis)
}

func (w *writer) mistake(at source.Span, code diag.Code, message string) diag.Entry {
	return w.diags.Errorf(code, at, "%s", message)
}
