package translate

import (
	"maps"
	"slices"
	"strings"
)

// A node is an expression of ppl as a tree. Nodes are immutable, so that terms can share them.
type node struct {
	kind  kind
	text  string   // text of a literal or name; operator; function of a call
	plate *plate   // plate of an index
	kids  []*node  // operands, arguments or items, in the order listed at kind
	names []string // argument names of a call, "" for positional ones; nil if none is named
	bound []*plate // indices that a list or a sum binds

	size  int  // number of characters when written, with short index names
	minus bool // the text begins with a minus sign
}

type kind int

const (
	kindLiteral   kind = iota // a number, inf, or _
	kindName                  // a name of the model
	kindIndex                 // the index of a plate
	kindCall                  // text(kids)
	kindApplied               // kids[0](kids[1:]): the state of an equation at a time
	kindSubscript             // kids[0][kids[1:]]
	kindUnary                 // text kids[0]
	kindBinary                // kids[0] text kids[1]
	kindCondition             // kids[0] ? kids[1] : kids[2]
	kindList                  // [kids]
	kindSpan                  // kids[0]..kids[1]
	kindEach                  // [i in N: body]; kids are the body, then both ends of each index's range
	kindOver                  // i in N: body, as the argument of a call
)

// Binding strengths of ppl's operators, from the loosest to the tightest.
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

// operators maps an operator to its strength, and to the least strengths of operands that need no parentheses.
var operators = map[string]struct{ own, left, right int }{
	"||": {strengthOr, strengthOr, strengthAnd}, "&&": {strengthAnd, strengthAnd, strengthCompare},
	"==": {strengthCompare, strengthAdd, strengthAdd}, "!=": {strengthCompare, strengthAdd, strengthAdd},
	"<": {strengthCompare, strengthAdd, strengthAdd}, "<=": {strengthCompare, strengthAdd, strengthAdd},
	">": {strengthCompare, strengthAdd, strengthAdd}, ">=": {strengthCompare, strengthAdd, strengthAdd},
	"+": {strengthAdd, strengthAdd, strengthAdd}, "-": {strengthAdd, strengthAdd, strengthMultiply},
	"*": {strengthMultiply, strengthMultiply, strengthUnary},
	"/": {strengthMultiply, strengthMultiply, strengthUnary},
	"@": {strengthMultiply, strengthMultiply, strengthUnary},
	"%": {strengthMultiply, strengthMultiply, strengthUnary},
	"^": {strengthPower, strengthAtom, strengthAtom},
}

// strength returns the strength of the loosest operator outside of brackets.
func (n *node) strength() int {
	switch n.kind {
	case kindLiteral:
		if n.minus {
			return strengthUnary
		}
	case kindUnary:
		switch {
		case n.text == "!":
			return strengthCompare
		case n.kids[0].strength() == strengthMultiply: // -a * b
			return strengthMultiply
		}
		return strengthUnary
	case kindBinary:
		return operators[n.text].own
	case kindCondition, kindSpan:
		return strengthCond
	}
	return strengthAtom
}

// operandStrengths returns the least strengths of kids that need no parentheses.
func (n *node) operandStrengths() []int {
	switch n.kind {
	case kindUnary:
		switch {
		case n.text == "!":
			return []int{strengthAtom}
		case n.kids[0].strength() == strengthMultiply:
			return []int{strengthMultiply}
		}
		return []int{strengthUnary}
	case kindBinary:
		o := operators[n.text]
		return []int{o.left, o.right}
	case kindCondition:
		return []int{strengthOr, strengthOr, strengthCond}
	case kindSpan:
		return []int{strengthAdd, strengthAdd}
	case kindSubscript, kindApplied:
		return []int{strengthAtom}
	}
	return nil
}

// finished computes the fields of a node that depend on its kids.
func finished(n node) *node {
	n.size = len(n.text)
	strengths := n.operandStrengths()
	for i, k := range n.kids {
		n.size += k.size
		if i < len(strengths) && k.strength() < strengths[i] {
			n.size += 2
		}
	}
	switch n.kind {
	case kindLiteral:
		n.minus = strings.HasPrefix(n.text, "-")
	case kindIndex:
		n.size = len(n.plate.like())
	case kindUnary:
		n.minus = n.text == "-"
	case kindBinary:
		first := n.kids[0]
		n.minus = first.minus && first.strength() >= strengths[0]
		n.size += 2
		if n.text == "^" {
			n.size -= 2
		}
		if (n.text == "+" || n.text == "-") && n.kids[1].minus && n.kids[1].strength() >= strengths[1] {
			n.size--
		}
	case kindCondition:
		n.size += 6
	case kindSpan:
		n.size += 2
	case kindCall, kindSubscript, kindApplied, kindList:
		n.size += 2 * max(1, len(n.kids)-1)
		for _, a := range n.names {
			n.size += len(a)
		}
	case kindEach, kindOver:
		n.size += 4
		for i, p := range n.bound {
			n.size += len(p.like()) + 4
			if lo, hi := n.kids[1+2*i], n.kids[2+2*i]; isBare(lo, hi) {
				n.size -= lo.size
			}
		}
	}
	return &n
}

func literalOf(text string) *node { return finished(node{kind: kindLiteral, text: text}) }

func nameOf(text string) *node { return finished(node{kind: kindName, text: text}) }

func callOf(f string, args ...*node) *node {
	return finished(node{kind: kindCall, text: f, kids: args})
}

func unaryOf(op string, x *node) *node {
	return finished(node{kind: kindUnary, text: op, kids: []*node{x}})
}

func binaryOf(op string, x, y *node) *node {
	return finished(node{kind: kindBinary, text: op, kids: []*node{x, y}})
}

// negated returns -n, without a double minus.
func (n *node) negated() *node {
	switch {
	case n.kind == kindLiteral && n.minus:
		return literalOf(n.text[1:])
	case n.kind == kindUnary && n.text == "-":
		return n.kids[0]
	case n.kind == kindBinary && n.minus && n.strength() == strengthMultiply:
		return binaryOf(n.text, n.kids[0].negated(), n.kids[1])
	}
	return unaryOf("-", n)
}

func conditionOf(c, a, b *node) *node {
	return finished(node{kind: kindCondition, kids: []*node{c, a, b}})
}

func listOf(items []*node) *node { return finished(node{kind: kindList, kids: items}) }

func spanOf(lo, hi *node) *node { return finished(node{kind: kindSpan, kids: []*node{lo, hi}}) }

// subscriptOf returns x[subs], or x if there are no subscripts. Subscripts of an element are appended to its own.
func subscriptOf(x *node, subs ...*node) *node {
	switch {
	case len(subs) == 0:
		return x
	case x.kind == kindSubscript:
		return finished(node{kind: kindSubscript, kids: slices.Concat(x.kids, subs)})
	}
	return finished(node{kind: kindSubscript, kids: append([]*node{x}, subs...)})
}

func appliedOf(x *node, at *node) *node {
	return finished(node{kind: kindApplied, kids: []*node{x, at}})
}

// rangedOf returns body for all indices of plates, as a list (kindEach) or as the argument of a call (kindOver).
func rangedOf(k kind, plates []*plate, body *node) *node {
	n := node{kind: k, kids: []*node{body}, bound: plates}
	for _, p := range plates {
		n.kids = append(n.kids, p.lo.node, p.hi.node)
	}
	return finished(n)
}

// with returns a copy of a node with other kids.
func (n *node) with(kids []*node) *node {
	other := *n
	other.kids = kids
	return finished(other)
}

// rewritten applies f to the kids of a node. It returns the node itself if nothing changed.
func (n *node) rewritten(f func(*node) *node) *node {
	var kids []*node
	for i, k := range n.kids {
		next := f(k)
		if next != k && kids == nil {
			kids = slices.Clone(n.kids)
		}
		if kids != nil {
			kids[i] = next
		}
	}
	if kids == nil {
		return n
	}
	return n.with(kids)
}

// visit calls f for a node and all nodes in it, until f returns false.
func (n *node) visit(f func(*node) bool) bool {
	if !f(n) {
		return false
	}
	for _, k := range n.kids {
		if !k.visit(f) {
			return false
		}
	}
	return true
}

// has reports whether f holds for a node in the tree.
func (n *node) has(f func(*node) bool) bool { return !n.visit(func(k *node) bool { return !f(k) }) }

// reads reports whether a name occurs in the tree.
func (n *node) reads(word string) bool {
	return n.has(func(k *node) bool { return k.kind == kindName && k.text == word })
}

// isSubscripted reports whether the tree contains a subscripted element.
func (n *node) isSubscripted() bool {
	return n.has(func(k *node) bool { return k.kind == kindSubscript })
}

// root returns the name and the subscripts of an array or one of its elements, or nil for other nodes.
func (n *node) root() (root *node, subs []*node) {
	switch {
	case n.kind == kindName:
		return n, nil
	case n.kind == kindSubscript && n.kids[0].kind == kindName:
		return n.kids[0], n.kids[1:]
	}
	return nil, nil
}

// isReference reports whether a node is as short as a name: a name, an index, an unsigned number, or an element of an
// array.
func (n *node) isReference() bool {
	if n.kind == kindLiteral {
		return !strings.ContainsAny(n.text, "+-")
	}
	root, _ := n.root()
	return root != nil || n.kind == kindIndex
}

// isIndexOf reports whether the node is the index of p.
func (n *node) isIndexOf(p *plate) bool { return n.kind == kindIndex && n.plate == p }

// isDigits reports whether the node is an integer literal.
func (n *node) isDigits() bool {
	return n.kind == kindLiteral && strings.Trim(n.text, "0123456789") == ""
}

// isBare reports whether a range is written by its upper end alone: N for 1..N.
func isBare(lo, hi *node) bool {
	return lo.kind == kindLiteral && lo.text == "1" && (hi.kind == kindName || hi.kind == kindIndex)
}

// replaced replaces the index of a plate by a tree. Sums in subscripts and in ends of ranges are simplified.
func (n *node) replaced(p *plate, by *node) *node {
	if n.kind == kindIndex {
		if n.plate == p {
			return by
		}
		return n
	}
	first := len(n.kids) // index of the first kid that is a subscript or an end of a range
	switch n.kind {
	case kindSubscript, kindEach, kindOver:
		first = 1
	case kindSpan:
		first = 0
	}
	at := -1
	out := n.rewritten(func(k *node) *node {
		at++
		next := k.replaced(p, by)
		if next != k && at >= first {
			return shortest(next)
		}
		return next
	})
	if out != n && out.kind == kindCondition {
		return out.decided()
	}
	return out
}

// decided returns the branch that a condition on integers selects, or n itself if the condition has no known value.
func (n *node) decided() *node {
	c := n.kids[0]
	if c.kind != kindBinary || operators[c.text].own != strengthCompare {
		return n
	}
	x, ok := shortest(c.kids[0]).wholeNumber()
	y, also := shortest(c.kids[1]).wholeNumber()
	if !ok || !also {
		return n
	}
	if compare(c.text, float64(x), float64(y)) {
		return n.kids[1]
	}
	return n.kids[2]
}

func (n *node) wholeNumber() (int, bool) {
	if n.kind != kindLiteral {
		return 0, false
	}
	return wholeNumber(n.text)
}

// shortest simplifies a sum of names and integers, if the result is shorter.
func shortest(n *node) *node {
	if n.kind != kindBinary && n.kind != kindUnary {
		return n
	}
	sum := &linear{coefs: map[string]int{}, atoms: map[string]term{}}
	if !addUp(n, 1, sum) {
		return n
	}
	if short := sum.term().node; short.size < n.size {
		return short
	}
	return n
}

// addUp adds a signed sum to a linear form. It returns false if n is not a sum of names and integers.
func addUp(n *node, sign int, sum *linear) bool {
	switch {
	case n.kind == kindName || n.kind == kindIndex:
		*sum = *combine(sum, atomLinear(term{node: n, integer: true}), sign)
	case n.kind == kindLiteral:
		v, ok := wholeNumber(n.text)
		if !ok {
			return false
		}
		*sum = *combine(sum, &linear{constant: v}, sign)
	case n.kind == kindUnary && n.text == "-":
		return addUp(n.kids[0], -sign, sum)
	case n.kind == kindBinary && n.text == "+":
		return addUp(n.kids[0], sign, sum) && addUp(n.kids[1], sign, sum)
	case n.kind == kindBinary && n.text == "-":
		return addUp(n.kids[0], sign, sum) && addUp(n.kids[1], -sign, sum)
	default:
		return false
	}
	return true
}

// nodesOf returns the trees of terms.
func nodesOf(ts []term) []*node {
	out := make([]*node, len(ts))
	for i, t := range ts {
		out[i] = t.node
	}
	return out
}

// equalTo reports whether two trees are equal up to the names of bound indices.
func (n *node) equalTo(m *node) bool { return n.equal(m, nil) }

// equal compares trees. as maps indices that brackets around m bind to those of n.
func (n *node) equal(m *node, as map[*plate]*plate) bool {
	if n == m && len(as) == 0 {
		return true
	}
	if n.kind != m.kind || n.text != m.text || len(n.kids) != len(m.kids) || len(n.bound) != len(m.bound) ||
		!slices.Equal(n.names, m.names) {
		return false
	}
	if n.kind == kindIndex {
		if p, ok := as[n.plate]; ok {
			return p == m.plate
		}
		return n.plate == m.plate
	}
	if len(n.bound) > 0 {
		as = maps.Clone(as)
		if as == nil {
			as = map[*plate]*plate{}
		}
		for i, p := range n.bound {
			as[p] = m.bound[i]
		}
	}
	for i, k := range n.kids {
		if !k.equal(m.kids[i], as) {
			return false
		}
	}
	return true
}
