// Package translate converts programs of Stan to models of ppl:
//
//	model := translate.Program(p, info, translate.Options{Data: data})
//	fmt.Print(model.Text)
//
// An executor runs the program once. It computes everything that data determine: conditions, ranges, the iterations of
// while loops. The rest becomes statements. A variable has a state (state.go): the terms that were assigned to its
// elements. It becomes a definition when an expression reads it and the terms are too long to repeat. If the iterations
// of a loop are alike, the loop is run once with a symbolic index, which becomes the index of its statements
// (loops.go); values that one iteration passes to the next become sums or series. Other loops are run iteration by
// iteration if data determine their range. Functions of the program are run where they are called. Densities of
// parameters become priors if this does not change the model (parameters.go), and factors otherwise.
//
// A term has a tree (tree.go), which is written at the end (print.go), when indices get their names. distributions.go,
// functions.go and arrays.go map Stan's functions to ppl; library.stan has functions that are written in Stan.
// Transformed data without a form in ppl are computed (computed.go). The log density of the model equals that of the
// program up to a constant.
package translate

import (
	"fmt"
	"slices"
	"strings"

	"ppl/lang/diag"
	"ppl/lang/format"
	"ppl/lang/parse"
	"ppl/lang/source"
	"ppl/lang/stan"
)

// An Unsaid is a statement that the model lacks, and the reason.
type Unsaid struct {
	At        source.Span
	Reason    string
	Generated bool // a quantity after inference, which does not affect the density
}

// A Model is the translation of a program.
type Model struct {
	Text   string
	Unsaid []Unsaid // statements that the model lacks; if not empty, the model differs from the program
	Left   []Unsaid // code without effect on the density, such as messages
	// Renamed maps data whose names are words of ppl to their names in the model.
	Renamed map[string]string
	// Parameters is like Renamed, for parameters.
	Parameters map[string]string
	// Uncomputed lists transformed data whose statements could not be translated. If their values are given in
	// Options.Computed, the model uses these as data.
	Uncomputed []string
}

// Equal reports whether the density of the model is that of the program. Generated quantities may be missing.
func (m *Model) Equal() bool {
	for _, u := range m.Unsaid {
		if !u.Generated {
			return false
		}
	}
	return true
}

// Options are the inputs and settings of a translation.
type Options struct {
	Data     stan.Data // nil without data
	Computed stan.Data // values of transformed data, used instead of their statements
	Unrolled bool      // write out loops iteration by iteration if data determine their range
}

// Program translates a program that was checked.
func Program(p *stan.Program, info *stan.Info, o Options) *Model {
	x := &executor{program: p, info: withLibrary(info), options: o, names: newNames(),
		scopes: []map[string]*cell{{}}, states: map[*cell]*state{}, renamed: map[string]string{},
		prefixes: map[string][]*node{}, templates: templates{}, params: map[string]*parameter{},
		library: arrayFunctions(), isData: map[string]bool{}, observed: map[string][][]slot{}}
	x.reserve(p)
	m := &Model{Renamed: map[string]string{}, Parameters: map[string]string{}}
	failed := map[source.Span]bool{} // statements of transformed data that failed
	lost := func(r *refusal) {
		if x.block == "transformed data" {
			failed[x.at] = true
		}
		if !r.at.Valid() {
			r.at = source.Span{File: p.Source}
		}
		m.Unsaid = append(m.Unsaid, Unsaid{r.at, r.reason, x.block == "generated quantities"})
	}
	for _, b := range []struct {
		name  string
		stmts []stan.Stmt
	}{{"data", p.Data}, {"transformed data", p.TransformedData}, {"parameters", p.Parameters},
		{"transformed parameters", p.TransformedParameters}, {"model", p.Model}, {"generated quantities",
			p.Generated}} {
		x.block = b.name
		x.runBlock(b.stmts, lost)
	}
	x.block = "parameters"
	if failed := x.try(x.decide); failed != nil {
		lost(failed)
	}
	for i := range x.items {
		it := &x.items[i]
		if !it.dropped && x.isCarried(*it) { // no loop has replaced the placeholder
			it.dropped = true
			m.Unsaid = append(m.Unsaid, Unsaid{it.at, "a value that its loop carries over is not translated yet",
				it.generate || it.kept && !it.factor})
		}
	}
	x.dropUnread()
	m.Uncomputed = affected(p.TransformedData, failed)
	m.Left = x.notes
	x.changed(p.Data, m.Renamed)
	x.changed(p.Parameters, m.Parameters)
	m.Text = x.text(m.Unsaid)
	return m
}

// reserve reserves the names of all variables that results contain.
func (x *executor) reserve(p *stan.Program) {
	x.own = map[string]string{}
	for _, block := range [][]stan.Stmt{p.Data, p.TransformedData, p.Parameters, p.TransformedParameters,
		p.Generated} {
		for _, s := range block {
			if d, ok := s.(*stan.Decl); ok {
				x.own[d.Name.Name] = x.names.take(d.Name.Name)
			}
		}
	}
}

// changed records the variables of a block whose names differ in the model.
func (x *executor) changed(block []stan.Stmt, to map[string]string) {
	for _, s := range block {
		if d := s.(*stan.Decl); x.own[d.Name.Name] != d.Name.Name {
			to[d.Name.Name] = x.own[d.Name.Name]
		}
	}
}

// pplName returns the model name of a program variable.
func (x *executor) pplName(name string) string {
	if own, ok := x.own[name]; ok {
		return own
	}
	return name
}

// runBlock translates the statements of a block. Statements that fail are omitted.
func (x *executor) runBlock(stmts []stan.Stmt, lost func(*refusal)) {
	if x.block == "model" { // its variables go out of scope at the end of the block
		x.scopes = append(x.scopes, map[string]*cell{})
		defer func() { x.scopes = x.scopes[:len(x.scopes)-1] }()
	}
	if n := len(stmts); n > 0 {
		x.end = stmts[n-1].Span().End
	}
	var kept []*cell
	for _, s := range stmts {
		x.at = s.Span()
		if failed := x.try(func() { x.topLevel(s) }); failed != nil {
			lost(failed)
		}
		if d, ok := s.(*stan.Decl); ok && x.block != "model" && x.block != "data" && x.block != "parameters" {
			if c := x.lookup(d.Name.Name); c != nil {
				c.kept = x.block != "transformed data"
				kept = append(kept, c)
			}
		}
	}
	for _, c := range kept {
		x.at = c.at
		if failed := x.try(func() { x.keep(c) }); failed != nil {
			if x.block == "generated quantities" || !strings.Contains(failed.reason, "before it has a value") {
				failed.at = c.at
				lost(failed)
			}
		}
	}
}

// topLevel translates a statement of a block.
func (x *executor) topLevel(s stan.Stmt) {
	switch {
	case x.block == "data":
		x.dataDecl(s.(*stan.Decl))
	case x.block == "parameters":
		x.parameter(s.(*stan.Decl))
	case x.block != "transformed data" || !x.isComputed(s):
		x.stmt(s)
	default:
		if d, ok := s.(*stan.Decl); ok {
			x.declareComputed(d)
		}
	}
}

// keep gives the variable's own name to its final value, because results contain the variable.
func (x *executor) keep(c *cell) {
	st := x.states[c]
	own := x.pplName(c.name)
	if st == nil {
		cannot("`%s` is read before it has a value", c.name)
	}
	if st.written != nil && st.name != own {
		x.renamed[st.name] = own
		for i := range x.items {
			x.items[i].kept = x.items[i].kept || c.kept && x.items[i].name == st.name
		}
		if st.level() == ofData && !c.kept {
			x.isData[st.name] = true
		}
		return
	}
	if st.written == nil {
		if st.base == nil && len(st.regions) == 0 {
			cannot("`%s` is read before it has a value", c.name)
		}
		if !c.kept && len(c.dims) == 0 && isShort(st.base.number()) {
			return
		}
		x.writeAs(c, st, own)
	}
	for i := range x.items {
		x.items[i].kept = x.items[i].kept || c.kept && x.items[i].name == own
	}
	if st.level() == ofData && !c.kept {
		x.isData[own] = true
	}
}

// dataDecl translates the declaration of data.
func (x *executor) dataDecl(d *stan.Decl) {
	c := x.newCell(d)
	x.declare(c)
	tail := ""
	if d.Type.Word == "int" {
		tail = ": int"
	}
	given, known := x.options.Data[c.name]
	x.declareGiven(c, given, known, item{tail: tail})
}

// declareGiven emits the declaration of data. If their values are known, elements are computed from them.
func (x *executor) declareGiven(c *cell, given stan.Array, known bool, as item) {
	name := x.pplName(c.name)
	v := named(name, nil, c.typ, c.dims, ofData)
	elem := v.elem
	v.elem = func(index []term) term {
		t := elem(index)
		if known {
			t.eval = func(b bindings) (float64, bool) { return elementOf(given, index, b) }
		}
		if t.integer {
			t.linear = atomLinear(t)
		}
		return t
	}
	x.states[c] = &state{base: &v, written: &v, name: name}
	x.isData[name] = true
	as.name, as.slots, as.at, as.isData = name, bareSlots(c.dims), c.at, true
	x.emit(as)
}

// elementOf returns the value of an element of data. It returns false if an index is not known or is out of range.
func elementOf(a stan.Array, index []term, b bindings) (float64, bool) {
	place := 0
	if len(index) != len(a.Dims) {
		return 0, false
	}
	for i, t := range index {
		if t.eval == nil {
			return 0, false
		}
		v, ok := t.eval(b)
		if !ok || v < 1 || int(v) > a.Dims[i] {
			return 0, false
		}
		place = place*a.Dims[i] + int(v) - 1
	}
	if place >= len(a.Values) {
		return 0, false
	}
	return a.Values[place], true
}

// text writes the model: its statements in canonical form, and as comments the statements that it lacks.
func (x *executor) text(unsaid []Unsaid) string {
	var b strings.Builder
	for _, u := range unsaid {
		line := 0
		if u.At.Valid() {
			line = u.At.Line()
		}
		fmt.Fprintf(&b, "# not translated, line %d: %s\n", line, strings.ReplaceAll(u.Reason, "\n", " "))
	}
	x.merge()
	remarks, top := x.remarks()
	for _, line := range top {
		b.WriteString("# " + line + "\n")
	}
	var lines []textLine
	for i, it := range x.items {
		if !it.dropped {
			lines = append(lines, textLine{remarks[i].above, x.line(it), remarks[i].behind,
				it.isData && it.value == ""})
		}
	}
	for _, l := range joinDeclarations(lines) {
		for _, line := range l.above {
			b.WriteString("# " + line + "\n")
		}
		b.WriteString(l.text)
		if l.behind != "" {
			b.WriteString("  # " + l.behind)
		}
		b.WriteString("\n")
	}
	text := b.String()
	file, ds := parse.File(source.New("model.ppl", text))
	if diag.HasErrors(ds) {
		return text
	}
	return format.File(file)
}

// A textLine is a statement with its comments.
type textLine struct {
	above    []string
	text     string
	behind   string
	declares bool // a declaration of data without values
}

// dataColumns is the greatest width of a line in which declarations of data are joined.
const dataColumns = 90

// joinDeclarations joins adjacent lines that only declare data.
func joinDeclarations(lines []textLine) (out []textLine) {
	for i, l := range lines {
		own, bare := strings.TrimPrefix(l.text, "data "), l.declares && l.behind == ""
		if i == 0 || !bare || len(l.above) > 0 {
			out = append(out, l)
			continue
		}
		last := &out[len(out)-1]
		if !last.declares || last.behind != "" || len(last.text)+len(own) >= dataColumns {
			out = append(out, l)
			continue
		}
		last.text += ", " + own
	}
	return out
}

// line writes one statement.
func (x *executor) line(it item) string {
	body, left := x.final(it.body), x.final(it.left)
	own := x.finalName(it.name)
	slots := make([]slot, len(it.slots))
	for i, s := range it.slots {
		slots[i] = x.finalSlot(s)
	}
	w := x.naming(own, slots, left, body, x.final(it.in))
	switch {
	case it.setting:
		w.add("infer ")
	case it.isData:
		w.add("data ")
	case it.generate || it.kept:
		w.add("generate ")
	}
	switch {
	case left != nil:
		w.write(left)
	case it.factor:
		w.add("factor")
	default:
		w.add(own)
	}
	w.slots(slots)
	switch {
	case it.isData || it.setting:
	case it.factor && len(slots) > 0:
		w.add(": ")
	case it.factor:
		w.add(" ")
	case it.draws:
		w.add(" ~ ")
	default:
		w.add(" = ")
	}
	if body != nil {
		w.write(body)
	}
	if it.in != nil {
		w.add(" in ")
		w.write(x.final(it.in))
	}
	if it.isData {
		w.add(it.tail)
		if it.value != "" {
			w.add(" = " + it.value)
		}
	} else if it.tail != "" {
		w.add(" " + it.tail)
	}
	return string(w.text)
}

// final replaces provisional names by final ones. Carried values get the indices of outer loops before their own.
func (x *executor) final(n *node) *node {
	if n == nil || n.kind == kindName {
		if n != nil {
			if word := x.finalName(n.text); word != n.text {
				return nameOf(word)
			}
		}
		return n
	}
	var front []*node
	if root, _ := n.root(); root != nil && n.kind == kindSubscript {
		front = x.prefixes[root.text]
	}
	n = n.rewritten(x.final)
	if len(front) > 0 {
		return n.with(slices.Insert(slices.Clone(n.kids), 1, front...))
	}
	return n
}

// finalSlot returns a slot whose ends have their final names.
func (x *executor) finalSlot(s slot) slot {
	s.lo, s.hi = term{node: x.final(s.lo.node)}, term{node: x.final(s.hi.node)}
	return s
}

// isCarried reports whether a statement still contains a placeholder of a carried value.
func (x *executor) isCarried(it item) bool {
	lost := func(n *node) bool { return n.kind == kindName && strings.HasPrefix(n.text, carriedMark) }
	return slices.ContainsFunc(it.parts(), func(n *node) bool { return x.final(n).has(lost) })
}

func (x *executor) finalName(name string) string {
	for range 10 {
		next, ok := x.renamed[name]
		if !ok {
			return name
		}
		name = next
	}
	return name
}

// merge removes definitions that only repeat another definition under a second name.
func (x *executor) merge() {
	count := map[string]int{}
	place := map[string]int{}
	for i, it := range x.items {
		if it.name != "" && !it.dropped {
			count[it.name]++
			place[it.name] = i
		}
	}
	for i := range x.items {
		it := &x.items[i]
		if it.body == nil || it.factor || it.setting || it.draws || it.isData || it.dropped || count[it.name] > 1 {
			continue
		}
		root, subs := it.body.root()
		if root == nil {
			continue
		}
		name := root.text
		at, ok := place[name]
		if !ok || at == i || count[name] != 1 || x.isData[name] || x.params[name] != nil || x.items[at].kept {
			continue
		}
		if _, also := x.renamed[name]; also {
			continue
		}
		from := &x.items[at]
		if !sameSlots(it.slots, subs, from.slots) {
			if !from.draws || !permuted(it.slots, subs, from.slots) || x.readers(name) > 1 {
				continue
			}
			x.reorder(from, it.slots, subs)
		}
		if it.left != nil {
			if x.readers(name) == 1 {
				it.dropped, from.left = true, it.left
			}
			continue
		}
		it.dropped = true
		from.kept = from.kept || it.kept
		x.renamed[name] = it.name
	}
}

// readers returns the number of statements that read a name.
func (x *executor) readers(name string) int {
	n := 0
	for _, it := range x.items {
		if !it.dropped && it.body != nil && it.body.reads(name) {
			n++
		}
	}
	return n
}

// reorder gives a statement the axis order of a definition that only permutes it.
func (x *executor) reorder(it *item, slots []slot, subs []*node) {
	for i, s := range it.slots {
		it.body = it.body.replaced(s.plate, subs[i])
	}
	it.slots = slots
}

// permuted reports whether a definition x[slots] = y[subs] is all of y with its axes permuted.
func permuted(slots []slot, subs []*node, of []slot) bool {
	if len(slots) != len(of) || len(subs) != len(of) {
		return false
	}
	for i, s := range of {
		at := slices.IndexFunc(slots, func(t slot) bool { return !t.one && subs[i].isIndexOf(t.plate) })
		if at < 0 || s.one || !same(s.lo, slots[at].lo) ||
			!same(s.hi, slots[at].hi) {
			return false
		}
	}
	return true
}

// sameSlots reports whether a definition x[slots] = y[subs] is all of y in the same order.
func sameSlots(slots []slot, subs []*node, of []slot) bool {
	if len(slots) != len(of) && len(subs) > 0 || len(subs) > 0 && len(subs) != len(slots) || len(slots) > 0 &&
		len(subs) == 0 {
		return false
	}
	for i, s := range slots {
		if s.one || of[i].one || !subs[i].isIndexOf(s.plate) || !same(s.lo, of[i].lo) ||
			!same(s.hi, of[i].hi) {
			return false
		}
	}
	return true
}
