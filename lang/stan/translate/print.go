package translate

import (
	"slices"
	"strconv"
	"strings"
)

// During translation, every plate has a unique index, so that replacing an index by a term cannot capture an index that
// an inner sum binds. Indices get short names when a statement is written: first those of the left side, then those
// that brackets bind, from the outermost. Each name must differ from those of enclosing brackets and from names that
// occur inside its own.

// indexMark separates the preferred name of an index from its number.
const indexMark = '\x02'

// like returns the preferred name of a plate's index.
func (p *plate) like() string {
	if at := strings.IndexByte(p.name, indexMark); at >= 0 {
		return p.name[:at]
	}
	return p.name
}

// A printer writes trees. names maps enclosing plates to the names of their indices. name returns a name for any other
// index; brackets is the node that binds it, or nil if the index is free.
type printer struct {
	text  []byte
	names map[*plate]string
	name  func(p *plate, brackets *node) string
}

// key returns a text that is equal for trees that differ only in the names of bound indices.
func (n *node) key() string {
	bound := 0
	p := &printer{names: map[*plate]string{}}
	p.name = func(q *plate, brackets *node) string {
		if brackets == nil {
			return q.name
		}
		bound++
		return "_" + strconv.Itoa(bound-1) + "_"
	}
	p.write(n)
	return string(p.text)
}

func (w *printer) add(text string) { w.text = append(w.text, text...) }

// at writes an operand of an operator. It adds parentheses if the operand binds less strongly.
func (w *printer) at(n *node, strength int) {
	if n.strength() < strength {
		w.add("(")
		w.write(n)
		w.add(")")
		return
	}
	w.write(n)
}

func (w *printer) write(n *node) {
	switch n.kind {
	case kindLiteral, kindName:
		w.add(n.text)
	case kindIndex:
		if given, ok := w.names[n.plate]; ok {
			w.add(given)
			return
		}
		w.add(w.name(n.plate, nil))
	case kindCall:
		w.add(n.text)
		w.arguments("(", n.kids, n.names, ")")
	case kindApplied:
		w.at(n.kids[0], strengthAtom)
		w.arguments("(", n.kids[1:], nil, ")")
	case kindSubscript:
		w.at(n.kids[0], strengthAtom)
		w.arguments("[", n.kids[1:], nil, "]")
	case kindList:
		w.arguments("[", n.kids, nil, "]")
	case kindEach:
		w.add("[")
		w.ranged(n)
		w.add("]")
	case kindOver:
		w.ranged(n)
	default:
		w.operator(n)
	}
}

func (w *printer) arguments(open string, args []*node, names []string, end string) {
	w.add(open)
	for i, a := range args {
		if i > 0 {
			w.add(", ")
		}
		if names != nil && names[i] != "" {
			w.add(names[i] + " = ")
		}
		w.write(a)
	}
	w.add(end)
}

func (w *printer) operator(n *node) {
	s := n.operandStrengths()
	switch n.kind {
	case kindUnary:
		w.add(n.text)
		w.at(n.kids[0], s[0])
	case kindBinary:
		w.at(n.kids[0], s[0])
		if n.text == "^" {
			w.add("^")
			w.at(n.kids[1], s[1])
			return
		}
		place := len(w.text) + 1
		w.add(" " + n.text + " ")
		w.at(n.kids[1], s[1])
		w.foldSign(place)
	case kindCondition:
		w.at(n.kids[0], s[0])
		w.add(" ? ")
		w.at(n.kids[1], s[1])
		w.add(" : ")
		w.at(n.kids[2], s[2])
	case kindSpan:
		w.at(n.kids[0], s[0])
		w.add("..")
		w.at(n.kids[1], s[1])
	}
}

// foldSign rewrites a + -b to a - b, and a - -b to a + b. at is the position of the operator.
func (w *printer) foldSign(at int) {
	other, ok := map[byte]byte{'+': '-', '-': '+'}[w.text[at]]
	if ok && w.text[at+2] == '-' {
		w.text[at] = other
		w.text = append(w.text[:at+2], w.text[at+3:]...)
	}
}

// ranged writes i in N: body.
func (w *printer) ranged(n *node) {
	before := make([]string, len(n.bound))
	for i, p := range n.bound {
		before[i] = w.names[p]
		delete(w.names, p)
	}
	for _, p := range n.bound {
		w.names[p] = w.name(p, n)
	}
	for i, p := range n.bound {
		if i > 0 {
			w.add(", ")
		}
		w.add(w.names[p] + " in ")
		w.set(n.kids[1+2*i], n.kids[2+2*i])
	}
	w.add(": ")
	w.write(n.kids[0])
	for i, p := range n.bound {
		delete(w.names, p)
		if before[i] != "" {
			w.names[p] = before[i]
		}
	}
}

// set writes an index set.
func (w *printer) set(lo, hi *node) {
	if isBare(lo, hi) {
		w.write(hi)
		return
	}
	w.write(spanOf(lo, hi))
}

// Statements.

// A naming chooses the index names of one statement.
type naming struct {
	*printer
	taken map[string]bool // names that no index may have
	heads map[string]bool // index names of the left side
	all   []*node         // trees of the statement
}

// naming returns a printer for a statement with the given trees and left-side plates.
func (x *executor) naming(own string, slots []slot, trees ...*node) *naming {
	w := &naming{printer: &printer{names: map[*plate]string{}}, taken: x.names.taken, heads: map[string]bool{}}
	for _, s := range slots {
		w.all = append(w.all, s.lo.node, s.hi.node)
	}
	for _, t := range trees {
		if t != nil {
			w.all = append(w.all, t)
		}
	}
	w.name = w.chosen
	for _, s := range slots {
		if s.plate != nil {
			inside := w.namesIn(w.all)
			inside[own] = true
			short := w.short(s.plate.like(), w.heads, inside)
			w.names[s.plate] = short
			w.heads[short] = true
		}
	}
	return w
}

// chosen returns a name for an index that brackets bind, or that is free.
func (w *naming) chosen(p *plate, brackets *node) string {
	if brackets == nil {
		given := w.short(p.like(), w.heads, w.namesIn(w.all))
		w.names[p] = given
		return given
	}
	around := map[string]bool{}
	for h := range w.heads {
		around[h] = true
	}
	for q, given := range w.names {
		if !slices.Contains(brackets.bound, q) {
			around[given] = true
		}
	}
	return w.short(p.like(), around, w.namesIn([]*node{brackets}))
}

// namesIn returns all names in trees, including the present names of indices.
func (w *naming) namesIn(trees []*node) map[string]bool {
	out := map[string]bool{}
	for _, t := range trees {
		t.visit(func(k *node) bool {
			switch k.kind {
			case kindName, kindCall:
				out[k.text] = true
			case kindIndex:
				out[w.names[k.plate]] = true
			}
			for _, p := range k.bound {
				out[w.names[p]] = true
			}
			return true
		})
	}
	return out
}

// short returns the preferred name of an index, or a similar one if that is in a set.
func (w *naming) short(like string, around, inside map[string]bool) string {
	short := like
	for n := 0; around[short] || inside[short] || w.taken[short]; n++ {
		if len(like) == 1 && n < len(shortNames) {
			short = shortNames[n : n+1]
			continue
		}
		short = like + "_" + strconv.Itoa(n+2)
	}
	return short
}

const shortNames = "ijklmnopqruvwxyz"

// slots writes the axes of the left side of a statement.
func (w *naming) slots(all []slot) {
	for i, s := range all {
		w.add(map[bool]string{true: "[", false: ", "}[i == 0])
		if s.plate != nil {
			w.add(w.names[s.plate] + " in ")
		}
		switch {
		case s.one && s.lo.node.isDigits():
			w.write(s.lo.node)
		case s.one:
			w.write(spanOf(s.lo.node, s.lo.node))
		default:
			w.set(s.lo.node, s.hi.node)
		}
	}
	if len(all) > 0 {
		w.add("]")
	}
}
