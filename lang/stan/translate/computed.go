package translate

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ppl/lang/source"
	"ppl/lang/stan"
)

// If statements of transformed data cannot be translated but the data are known, these statements are executed instead,
// and the model gets their results as data.

// affected returns the transformed data that the failed statements declare or assign, and those that depend on them: a
// statement that mentions an affected variable affects the variables that it assigns.
func affected(block []stan.Stmt, failed map[source.Span]bool) []string {
	if len(failed) == 0 {
		return nil
	}
	lost := map[string]bool{}
	for before := -1; before < len(lost); {
		before = len(lost)
		for _, s := range block {
			mentions := failed[s.Span()] || slices.ContainsFunc(words.FindAllString(s.Span().Text(), -1),
				func(w string) bool { return lost[w] })
			if !mentions {
				continue
			}
			assigned, declared := writtenIn(s)
			maps.Copy(lost, declared)
			for _, name := range assigned {
				lost[name] = true
			}
		}
	}
	declared := map[string]bool{}
	for _, s := range block {
		if d, ok := s.(*stan.Decl); ok && lost[d.Name.Name] {
			declared[d.Name.Name] = true
		}
	}
	return slices.Sorted(maps.Keys(declared))
}

// isComputed reports whether a statement of transformed data assigns variables whose values were computed before.
func (x *executor) isComputed(s stan.Stmt) bool {
	has := func(name string) bool { _, ok := x.options.Computed[name]; return ok }
	assigned, declared := writtenIn(s)
	return slices.ContainsFunc(assigned, has) || slices.ContainsFunc(slices.Collect(maps.Keys(declared)), has)
}

// declareComputed declares transformed data with their computed values.
func (x *executor) declareComputed(d *stan.Decl) {
	given := x.options.Computed[d.Name.Name]
	c := &cell{name: d.Name.Name, at: d.At, typ: d.Type.Plain(), dims: constants(given.Dims)}
	x.declare(c)
	as := item{value: literal(given.Dims, given.Values)}
	if c.typ.Word == "int" {
		as.tail = ": int"
	}
	x.declareGiven(c, given, true, as)
}

// dropUnread removes computed data that no statement reads.
func (x *executor) dropUnread() {
	read := map[string]bool{}
	for _, it := range x.items {
		if it.dropped {
			continue
		}
		for _, n := range it.parts() {
			n.visit(func(n *node) bool {
				read[x.finalName(n.text)] = read[x.finalName(n.text)] || n.kind == kindName
				return true
			})
		}
	}
	for i := range x.items {
		it := &x.items[i]
		if it.isData && it.value != "" && !read[it.name] {
			it.dropped = true
		}
	}
}

// parts returns all expressions of a statement.
func (it item) parts() (all []*node) {
	all = append(all, it.body, it.left, it.in)
	for _, s := range it.slots {
		all = append(all, s.lo.node, s.hi.node)
	}
	return slices.DeleteFunc(all, func(n *node) bool { return n == nil })
}

// literal returns an array literal of ppl.
func literal(dims []int, values []float64) string {
	if len(dims) == 0 {
		return strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(values[0], 'g', -1, 64), "+")) // +Inf becomes inf
	}
	each := len(values) / max(1, dims[0])
	parts := make([]string, dims[0])
	for i := range parts {
		parts[i] = literal(dims[1:], values[i*each:(i+1)*each])
	}
	return fmt.Sprintf("[%s]", strings.Join(parts, ", "))
}
