package modelgen

import (
	"fmt"
	"regexp"
	"strings"
)

// A scope describes what an expression may read besides arrays: bound indices, and references valid only there.
type scope struct {
	indices []index
	refs    []reference
	static  bool // may read only data
	depth   int
	axis    *set // for a vector, its axis
}

type index struct {
	name string
	set  *set
}

// A reference is a text to insert, such as a discrete unknown at its plate or the previous element of a series.
type reference struct {
	text   string
	kind   kind
	values *set
}

// nonrecursive maps a row of grammar to the number of its leading templates that do not expand further expressions.
var nonrecursive = map[string]int{"real": 4, "positive": 3, "unit": 2, "count": 2, "condition": 2, "vector": 2,
	"simplex": 1}

var grammar = map[string][]string{
	"real": {"{number real}", "{ref real}", "{ref real}", "{ref real}",
		"({real} + {real})", "({real} - {real})", "{number real} * {real}", "{unit} * {real}", "(-({real}))",
		"{real} / (1 + {positive})",
		"tanh({real})", "sin({real})", "atan({real})", "log({positive})", "({real})^2 / 4", "lgamma({positive})",
		"{positive}", "{count}",
		"({condition} ? {real} : {real})", "max({real}, {real})", "min({real}, {real})", "abs({real})",
		"(({real}) -> tanh)", "log1p_exp({real})",
		"{index}", "{guard}", "{lag}", "{fold sum real}", "{fold mean real}", "{fold max real}", "{fold min real}",
		"{fold logsumexp real}",
		"{whole sum}", "{whole mean}", "{whole max}", "{whole sd}", "{whole logsumexp}", "{product}", "{call}",
		"{call}", "mod({real}, 2)",
		"logpdf(Normal({real}, {positive}), {real}) / 5", "log_Phi({real})", "hypot({real}, {real})",
		"floor({static}) / 2"},
	"positive": {"{number positive}", "{ref positive}", "{ref positive}",
		"exp(tanh({real}))", "(softplus({real}) + 0.1)", "(0.1 + ({real})^2)", "({positive} + {positive})",
		"{positive} * {number positive}",
		"sqrt({positive})", "{positive}^0.5", "1 / (0.2 + {positive})", "({condition} ? {positive} : {positive})",
		"{fold sum positive}",
		"{fold mean positive}", "{fold max positive}", "(0.2 + {unit})", "(1 + {count})", "sqrt(1 + square({real}))"},
	"unit": {"{number unit}", "{ref unit}",
		"sigmoid({real})", "Phi({real})", "(1 - {unit})", "{unit} * {unit}", "1 / (1 + {positive})",
		"(0.1 + 0.8 * {unit})",
		"cdf(Normal({real}, {positive}), {real})"},
	"count": {"{number count}", "{ref count}", "({count} + {count})", "({condition})", "({count} % 3)",
		"{fold sum condition}"},
	"condition": {"({real} > {real})", "({count} == {count})", "({condition} && {condition})",
		"({condition} || {real} <= 0)", "(!{condition})", "({index} < 0.6)"},
	"vector": {"{array}", "{array}",
		"({vector} + {vector})", "{real} * {vector}", "{vector} * {vector} / 2", "tanh({vector})",
		"exp(tanh({vector}))", "{comprehension}", "{comprehension}",
		"{gather}", "{columns}", "cumsum({vector}) / 3", "log_softmax({vector})",
		"({vector} > {real} ? {vector} : {vector})", "(-({vector}))"},
	"simplex": {"softmax({vector})", "{array simplex}"},
}

var placeholder = regexp.MustCompile(`\{([a-z]+)(?: ([a-z]+))?(?: ([a-z]+))?\}`)

// make writes an expression by a random template from a row of the grammar.
func (w *writer) make(name string, s scope) string {
	rows := grammar[name]
	s.depth--
	if s.depth <= 0 {
		rows = rows[:nonrecursive[name]]
	}
	for range 8 {
		if text := w.expand(pick(w, rows), s); text != "" {
			return text
		}
	}
	return w.plain(name, s)
}

// plain returns a text that is valid in every scope.
func (w *writer) plain(name string, s scope) string {
	switch name {
	case "condition":
		return "(" + w.number(real) + " < 0)"
	case "vector", "simplex":
		return fmt.Sprintf("[%s in %s: 1 / %d]", w.name("i"), s.axis.text, s.axis.size())
	}
	return w.number(kind(name))
}

// expand fills in a template; it returns "" if a part is not possible in this scope.
func (w *writer) expand(template string, s scope) string {
	failed := false
	text := placeholder.ReplaceAllStringFunc(template, func(p string) string {
		m := placeholder.FindStringSubmatch(p)
		part := w.part(m[1], m[2], m[3], s)
		failed = failed || part == ""
		return part
	})
	if failed {
		return ""
	}
	return text
}

// part returns the text for one placeholder.
func (w *writer) part(name, a, b string, s scope) string {
	switch name {
	case "number":
		return w.number(kind(a))
	case "ref":
		return w.ref(kind(a), s)
	case "static":
		s.static = true
		return w.make("real", s)
	case "index":
		return w.index(s)
	case "guard":
		return w.guard(s)
	case "lag":
		return w.lag(s)
	case "fold":
		return w.fold(a, b, s)
	case "whole":
		s.axis = pick(w, w.sets)
		return a + "(" + w.make("vector", s) + ")"
	case "product":
		return w.product(s)
	case "call":
		return w.call(s)
	case "array":
		return w.row(s, kind(a))
	case "comprehension":
		axis := s.axis
		return fmt.Sprintf("[%s in %s: %s]", w.bind(&s, axis), axis.text, w.make("real", s))
	case "gather":
		return w.gather(s)
	case "columns":
		return w.columns(s)
	}
	return w.make(name, s)
}

// ref reads an element of a kind.
func (w *writer) ref(k kind, s scope) string {
	if len(s.refs) > 0 && !s.static && w.chance(2) {
		if r := pick(w, s.refs); r.kind == k || k == real {
			return r.text
		}
	}
	a, ok := w.readable(s, func(a array) bool { return a.kind == k || k == real && a.kind != simplex })
	if !ok {
		return ""
	}
	return w.element(a, s)
}

func (w *writer) readable(s scope, want func(array) bool) (array, bool) {
	var fit []array
	for _, a := range w.arrays {
		if (a.static || !s.static) && want(a) {
			fit = append(fit, a)
		}
	}
	if len(fit) == 0 {
		return array{}, false
	}
	return pick(w, fit), true
}

// element subscripts every axis of an array.
func (w *writer) element(a array, s scope) string {
	if len(a.axes) == 0 {
		return a.name
	}
	subs := make([]string, len(a.axes))
	for i, axis := range a.axes {
		subs[i] = w.subscript(axis, s)
	}
	return fmt.Sprintf("%s[%s]", a.name, strings.Join(subs, ", "))
}

// subscript returns a position on an axis: an index over it, a gather, a reference to a value in it, or a number.
func (w *writer) subscript(axis *set, s scope) string {
	var ways []string
	for _, i := range s.indices {
		if i.set.base == axis {
			ways = append(ways, i.name, i.name, i.name)
		}
		if g, ok := w.readable(s, func(a array) bool {
			return a.values == axis && len(a.axes) == 1 && a.axes[0] == i.set.base
		}); ok {
			ways = append(ways, fmt.Sprintf("%s[%s]", g.name, i.name))
		}
	}
	for _, r := range s.refs {
		if r.values == axis && !s.static {
			ways = append(ways, r.text, r.text)
		}
	}
	return pick(w, append(ways, w.within(axis)))
}
