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

// A kind is the origin of a variable's values.
type kind int

const (
	isData kind = iota
	isDrawn
	isComputed
)

// A relation is one statement with its enclosing loops.
type relation struct {
	*relationTree
	node  *nameTree
	link  string
	loops []*forTree
}

// A writer collects information on the variables of a model, and writes the translation.
type writer struct {
	src       *source.File
	diags     diag.List
	data      map[string]Shape
	relations []relation
	order     []string // variables in order of their first mention
	kinds     map[string]kind
	axes      map[string]int // greatest number of subscripts of each variable
	sizes     map[string]*sizes
	reads     map[string]int     // how often relations read each variable
	whole     map[string]bool    // variables whose values are integers
	linear    map[string]string  // maps a variable with a link to the name of its linear predictor
	names     map[string]string  // maps variables to their names in the model
	loopNames map[string]string  // maps loop indices to their names in the model
	taken     map[string]bool    // names that are reserved or in use in the model
	indices   map[string]operand // maps the indices of enclosing loops to their text in the model
}

// sizes are the lengths that the model implies for each axis of a variable, as expressions. An axis may have several.
type sizes struct{ axes [][]string }

// text returns the length of an axis, or "" if it is not known. It prefers a name to a number, which may be the index
// of a single element.
func (s *sizes) text(axis int) string {
	if s == nil || axis >= len(s.axes) {
		return ""
	}
	best, most := "", 0
	for _, t := range s.axes[axis] {
		n, err := strconv.Atoi(t)
		switch {
		case err != nil:
			return t
		case n > most:
			best, most = t, n
		}
	}
	return best
}

func (s *sizes) add(axis int, text string) {
	for len(s.axes) <= axis {
		s.axes = append(s.axes, nil)
	}
	if text != "" && !slices.Contains(s.axes[axis], text) {
		s.axes[axis] = append(s.axes[axis], text)
	}
}

var words = regexp.MustCompile(`[A-Za-z_]\w*`)

// collect finds the relations of a model and the properties of its variables.
func (w *writer) collect(tree *programTree) {
	w.kinds, w.axes = map[string]kind{}, map[string]int{}
	for _, v := range tree.Vars {
		w.mention(v, nil)
		for i, s := range v.subs() {
			if s != nil {
				w.sizes[v.Name].add(i, w.expr(s.Lo).text)
			}
		}
	}
	if tree.Data != nil {
		w.block(tree.Data, nil)
	}
	w.block(tree.Model, nil)
	for _, r := range w.relations {
		name := r.node.Name
		switch {
		case r.Dist == nil:
			w.kinds[name] = isComputed
			if _, known := w.data[name]; known {
				w.mistake(r.span(w.src), diag.DefinedTwice, "`"+name+"` has a value in the model and in the data").
					Help("leave it out of one of them")
			}
		case w.kinds[name] == isComputed: // a constant that is observed
		case w.isObserved(name):
			w.kinds[name] = isData
		default:
			w.kinds[name] = isDrawn
		}
	}
	w.linearise()
}

// linearise finds variables with a link that a distribution can apply itself. The distribution then gets the linear
// predictor, which keeps more digits if a probability is nearly 0 or 1.
func (w *writer) linearise() {
	w.linear = map[string]string{}
	for _, r := range w.relations {
		if r.Dist == nil {
			continue
		}
		n := w.linkedArgument(r.Dist)
		if n == nil {
			continue
		}
		w.reads[n.Name]--
		if w.linear[n.Name] == "" {
			w.linear[n.Name] = w.fresh(onLink[r.Dist.Name].link + "_" + w.name(n.Name))
		}
	}
}

// linkedArgument returns the first argument of a distribution, if it is a variable whose definitions all use the link
// of the distribution in onLink, and nil otherwise.
func (w *writer) linkedArgument(d *drawnTree) *nameTree {
	of, ok := onLink[d.Name]
	n := plainName(d.Args)
	if !ok || n == nil {
		return nil
	}
	if w.kinds[n.Name] != isComputed || slices.ContainsFunc(w.relations, func(r relation) bool {
		return r.node.Name == n.Name && r.link != of.link
	}) {
		return nil
	}
	return n
}

// isObserved reports whether the values of a variable with a distribution are data.
func (w *writer) isObserved(name string) bool {
	if w.data != nil {
		_, known := w.data[name]
		return known
	}
	return w.reads[name] == 0
}

func (w *writer) block(b *blockTree, loops []*forTree) {
	for _, s := range b.Stmts {
		if s.For != nil {
			w.visit(s.For.Lo, loops, true)
			w.visit(s.For.Hi, loops, true)
			w.block(s.For.Body, append(slices.Clone(loops), s.For))
			continue
		}
		w.relation(s.Relation, loops)
	}
}

func (w *writer) relation(t *relationTree, loops []*forTree) {
	r := relation{relationTree: t, node: t.Left, loops: loops}
	if t.Left.Call != nil {
		r.link = t.Left.Name
		inner := plainName(t.Left.Call.Args)
		if _, ok := links[r.link]; !ok || inner == nil || t.Dist != nil {
			w.mistake(t.span(w.src), diag.Undefined, "`"+r.link+"` is not a link function of one variable")
			return
		}
		r.node = inner
	}
	w.relations = append(w.relations, r)
	w.mention(r.node, loops)
	for _, s := range r.node.subs() {
		if s != nil {
			w.visit(s.Lo, loops, true)
			w.visit(s.Hi, loops, true)
		}
	}
	if t.Value != nil {
		w.visit(t.Value, loops, false)
		if c := t.Value.Head.Atom.Name; c != nil && c.Call != nil && c.Name == "inverse" && len(t.Value.Tail) == 0 {
			w.likeHead(r, c.Call.Args)
		}
		return
	}
	d := distributions[t.Dist.Name]
	if d.whole {
		w.whole[r.node.Name] = true
	}
	for i, a := range t.Dist.Args {
		counts := strings.HasPrefix(d.text, "Binomial($"+strconv.Itoa(i+1)) ||
			strings.HasPrefix(d.text, "BetaBinomial($"+strconv.Itoa(i+1))
		w.visit(a, loops, counts && a.Tail == nil)
	}
	w.likeHead(r, t.Dist.Args)
	if t.Dist.Range != nil {
		w.visit(t.Dist.Range.Lo, loops, false)
		w.visit(t.Dist.Range.Hi, loops, false)
	}
}

// likeHead records that full axes of arguments, such as R[,] in dwish(R[,], 2), have the lengths of the ranges on the
// left side.
func (w *writer) likeHead(r relation, args []*exprTree) {
	var lengths []string
	for _, s := range r.node.subs() {
		if s != nil && s.Hi != nil {
			lengths = append(lengths, w.greatest(s.Hi, r.loops, true))
		}
	}
	for _, a := range args {
		n := plainName([]*exprTree{a})
		if n == nil || len(lengths) == 0 {
			continue
		}
		at := 0
		for i, s := range n.subs() {
			if s == nil {
				w.sizes[n.Name].add(i, lengths[min(at, len(lengths)-1)])
				at++
			}
		}
	}
}

// plainName returns the first argument if it is just a variable, else nil.
func plainName(args []*exprTree) *nameTree {
	if len(args) == 0 || len(args[0].Tail)+len(args[0].Head.Signs) > 0 {
		return nil
	}
	if n := args[0].Head.Atom.Name; n != nil && n.Call == nil {
		return n
	}
	return nil
}

// visit records the variables that an expression reads. whole means that the expression's value must be an integer.
func (w *writer) visit(e *exprTree, loops []*forTree, whole bool) {
	if e == nil {
		return
	}
	terms := []*termTree{e.Head}
	for _, t := range e.Tail {
		terms = append(terms, t.Term)
	}
	for _, t := range terms {
		a := t.Atom
		switch {
		case a.Paren != nil:
			w.visit(a.Paren, loops, whole)
		case a.Name != nil && a.Name.Call != nil:
			for _, arg := range a.Name.Call.Args {
				w.visit(arg, loops, whole && keepsWhole[a.Name.Name])
			}
		case a.Name != nil:
			w.visitName(a.Name, loops, whole)
		}
	}
}

// keepsWhole has the functions that return integers for integer arguments.
var keepsWhole = map[string]bool{"max": true, "min": true}

func (w *writer) visitName(n *nameTree, loops []*forTree, whole bool) {
	if n.Subs == nil && slices.ContainsFunc(loops, func(l *forTree) bool { return l.Index == n.Name }) {
		return
	}
	w.mention(n, loops)
	w.reads[n.Name]++
	w.whole[n.Name] = w.whole[n.Name] || whole
	for _, s := range n.subs() {
		if s != nil {
			w.visit(s.Lo, loops, true)
			w.visit(s.Hi, loops, true)
		}
	}
}

// mention records a variable, and the axis lengths that its subscripts imply.
func (w *writer) mention(n *nameTree, loops []*forTree) {
	if w.sizes[n.Name] == nil {
		w.sizes[n.Name] = &sizes{}
		w.order = append(w.order, n.Name)
	}
	subs := n.subs()
	w.axes[n.Name] = max(w.axes[n.Name], len(subs))
	for i, s := range subs {
		if s == nil {
			w.sizes[n.Name].add(i, "")
			continue
		}
		last, isEnd := s.Lo, false
		if s.Hi != nil {
			last, isEnd = s.Hi, true
		}
		w.sizes[n.Name].add(i, w.greatest(last, loops, isEnd))
	}
}

// greatest returns the greatest value of an index over loops: a number, the upper end of a loop's range, or, if isEnd
// is set, a name that is itself the end of a range. It is "" for other expressions.
func (w *writer) greatest(e *exprTree, loops []*forTree, isEnd bool) string {
	if a := e.Head.Atom; a.Number != "" && len(e.Tail)+len(e.Head.Signs) == 0 {
		return a.Number
	}
	n := plainName([]*exprTree{e})
	if n == nil || n.Subs != nil {
		return ""
	}
	for i := len(loops) - 1; i >= 0; i-- {
		if loops[i].Index == n.Name {
			return w.greatest(loops[i].Hi, loops[:i], true)
		}
	}
	if !isEnd {
		return ""
	}
	return w.name(n.Name)
}

// Statements.

func (w *writer) text() string {
	var b strings.Builder
	for _, name := range w.sortedData() {
		b.WriteString(w.declaration(name) + "\n")
	}
	for _, r := range w.relations {
		b.WriteString(w.statement(r) + "\n")
	}
	return b.String()
}

// declaration returns the data statement of a name. It reports an error if the length of an axis is unknown.
func (w *writer) declaration(name string) string {
	shape, known := w.data[name]
	text := "data " + w.name(name)
	var axes []string
	for i := range max(w.axes[name], len(shape.Dims)) {
		n := w.sizes[name].text(i)
		switch {
		case n == "" && known && i < len(shape.Dims):
			n = "1.." + strconv.Itoa(shape.Dims[i])
		case n == "":
			w.mistake(source.Span{File: w.src}, diag.UnknownSize, "the length of axis "+strconv.Itoa(i+1)+" of `"+name+
				"` is not known: give --data")
			return text
		case n[0] >= '0' && n[0] <= '9':
			if known && i < len(shape.Dims) {
				n = strconv.Itoa(shape.Dims[i])
			}
			n = "1.." + n
		}
		axes = append(axes, n)
	}
	if len(axes) > 0 {
		text += "[" + strings.Join(axes, ", ") + "]"
	}
	if w.whole[name] {
		text += ": int"
	}
	if shape.Missing {
		text += " missing"
	}
	return text
}

// statement translates a relation.
func (w *writer) statement(r relation) string {
	w.indices = map[string]operand{}
	for _, l := range r.loops {
		w.indices[l.Index] = operand{w.indexName(l.Index), atom}
	}
	head := w.head(r)
	if r.Dist != nil {
		return head + " ~ " + w.drawn(r.Dist, w.kinds[r.node.Name] == isData)
	}
	value := w.expr(r.Value)
	if r.link != "" {
		before := ""
		if name := w.linear[r.node.Name]; name != "" {
			own := strings.Replace(head, w.name(r.node.Name), name, 1)
			before = own + " = " + value.text + "\n"
			value = w.as(name, r.node)
		}
		value = filled(links[r.link], []operand{value})
		return before + w.defined(r, head, value)
	}
	return w.defined(r, head, value)
}

// as returns an element of a variable under another name.
func (w *writer) as(name string, n *nameTree) operand {
	out := w.read(n)
	out.text = strings.Replace(out.text, w.name(n.Name), name, 1)
	return out
}

// defined returns a definition. A variable that nothing reads becomes a generated quantity.
func (w *writer) defined(r relation, head string, value operand) string {
	if w.reads[r.node.Name] == 0 {
		head = "generate " + head
	}
	return head + " = " + value.text
}

// indexName returns the name in the model of a loop index.
func (w *writer) indexName(own string) string {
	given, ok := w.loopNames[own]
	if !ok {
		given = strings.TrimRight(strings.ReplaceAll(own, ".", "_"), "_")
		if w.sizes[own] != nil { // a variable has the same name
			given += "_index"
		}
		given = w.fresh(given)
		w.loopNames[own] = given
	}
	return given
}

// head returns the left side with its indices. For an index such as i + 1, it shifts the range of i.
func (w *writer) head(r relation) string {
	used := map[string]bool{}
	var slots []string
	for _, s := range r.node.subs() {
		switch {
		case s == nil:
			w.mistake(r.span(w.src), diag.NotCompiled,
				"an empty subscript on the left side is not translated: write its range, such as 1:K")
			return w.name(r.node.Name)
		case s.Hi != nil:
			slots = append(slots, w.set(w.expr(s.Lo), w.expr(s.Hi)))
		default:
			slots = append(slots, w.slot(r, s.Lo, used))
		}
	}
	for _, l := range r.loops {
		if !used[l.Index] {
			w.mistake(r.span(w.src), diag.NotCompiled,
				"the index `"+l.Index+"` of a loop does not occur on the left side").
				Help("add it as a subscript, or move the statement out of the loop")
		}
	}
	name := w.name(r.node.Name)
	if len(slots) > 0 {
		name += "[" + strings.Join(slots, ", ") + "]"
	}
	return name
}

// slot translates one subscript of a left side: a loop index plus a number, or an expression without loop indices.
func (w *writer) slot(r relation, e *exprTree, used map[string]bool) string {
	loop, shift, ok := w.moved(r.loops, e)
	switch {
	case ok && used[loop.Index]:
		w.mistake(r.span(w.src), diag.NotCompiled, "a left side with the index `"+
			loop.Index+"` twice is not translated").
			Help("define these elements in a model of ppl")
	case ok:
		used[loop.Index] = true
		lo, hi := w.plus(loop.Lo, shift), w.plus(loop.Hi, shift)
		if shift != 0 {
			w.indices[loop.Index] = shifted(operand{w.indexName(loop.Index), atom}, -shift)
		}
		return w.indexName(loop.Index) + " in " + w.set(lo, hi)
	default:
		if used := w.loopsIn(e, r.loops); used {
			w.mistake(r.span(w.src), diag.NotCompiled, "a subscript of the left side is not a loop index plus a number")
		}
	}
	at := w.expr(e)
	if _, err := strconv.Atoi(at.text); err == nil {
		return at.text
	}
	return at.at(sum) + ".." + at.at(sum)
}

// plus returns an expression plus an integer. For a sum or difference that ends in a number, it changes this number.
func (w *writer) plus(e *exprTree, by int) operand {
	for len(e.Tail) == 0 && len(e.Head.Signs) == 0 && e.Head.Atom.Paren != nil {
		e = e.Head.Atom.Paren
	}
	if by == 0 || len(e.Tail) != 1 {
		return shifted(w.expr(e), by)
	}
	n, err := strconv.Atoi(e.Tail[0].Term.Atom.Number)
	switch op := e.Tail[0].More; {
	case err != nil || len(e.Tail[0].Term.Signs) > 0:
		return shifted(w.expr(e), by)
	case op == "+":
		return shifted(w.term(e.Head), by+n)
	case op == "-":
		return shifted(w.term(e.Head), by-n)
	}
	return shifted(w.expr(e), by)
}

// shifted adds an integer to an operand.
func shifted(o operand, by int) operand {
	if by == 0 {
		return o
	}
	if n, err := strconv.Atoi(o.text); err == nil {
		return operand{strconv.Itoa(n + by), atom}
	}
	if by < 0 {
		return operand{o.at(sum) + " - " + strconv.Itoa(-by), sum}
	}
	return operand{o.at(sum) + " + " + strconv.Itoa(by), sum}
}

// moved returns the loop and the integer if an expression is a loop index plus an integer. ok is false for others.
func (w *writer) moved(loops []*forTree, e *exprTree) (loop *forTree, shift int, ok bool) {
	n := e.Head.Atom.Name
	if len(e.Head.Signs) > 0 || n == nil || n.Subs != nil || n.Call != nil || len(e.Tail) > 1 {
		return nil, 0, false
	}
	for _, l := range loops {
		if l.Index == n.Name {
			loop = l
		}
	}
	if len(e.Tail) == 1 {
		t := e.Tail[0]
		n, err := strconv.Atoi(t.Term.Atom.Number)
		if err != nil || len(t.Term.Signs) > 0 || t.More != "+" && t.More != "-" {
			return nil, 0, false
		}
		shift = n
		if t.More == "-" {
			shift = -n
		}
	}
	return loop, shift, loop != nil
}

// loopsIn reports whether an expression contains the index of a loop.
func (w *writer) loopsIn(e *exprTree, loops []*forTree) bool {
	at := e.span(w.src)
	return slices.ContainsFunc(loops, func(l *forTree) bool {
		return slices.Contains(dotted.FindAllString(at.Text(), -1), l.Index)
	})
}

var dotted = regexp.MustCompile(`[A-Za-z][\w.]*`)

// set returns an index set: N for 1..N, and a range otherwise.
func (w *writer) set(lo, hi operand) string {
	if lo.text == "1" && words.FindString(hi.text) == hi.text {
		return hi.text
	}
	return lo.at(sum) + ".." + hi.at(sum)
}

// drawn translates a distribution with its range. It reports an error for data with a range I(,) or C(,), which means
// censoring.
func (w *writer) drawn(d *drawnTree, observed bool) string {
	of, ok := distributions[d.Name]
	switch {
	case !ok:
		w.mistake(d.span(w.src), diag.Undefined, "the distribution `"+d.Name+"` is not in ppl").
			Help("%s", diag.MeantAmong(slices.Sorted(maps.Keys(distributions)), "`%s`", d.Name,
				"write its log density as `x ~ Density(e)` in a model of ppl"))
		return "Flat"
	case len(d.Args) != of.n:
		w.mistake(d.span(w.src), diag.Arguments, "`"+d.Name+"` takes "+diag.Count(of.n, "argument", "arguments"))
		return "Flat"
	}
	args := make([]operand, len(d.Args))
	for i, a := range d.Args {
		args[i] = w.expr(a)
	}
	if n := w.linkedArgument(d); n != nil {
		of.text, args[0] = onLink[d.Name].text, w.as(w.linear[n.Name], n)
	}
	text := filled(of.text, args).text
	if d.Range != nil && d.Range.Word[0] != 'T' && observed {
		w.mistake(d.span(w.src), diag.NotCompiled, "censoring of data by `"+d.Range.Word[:1]+"(,)` is not translated").
			Help("leave it out, and write `censored lo..hi` after the distribution in the translated model")
	}
	if d.Range == nil || d.Range.Lo == nil && d.Range.Hi == nil {
		return text
	}
	lo, hi := operand{"-inf", atom}, operand{"inf", atom}
	if d.Range.Lo != nil {
		lo = w.expr(d.Range.Lo)
	}
	if d.Range.Hi != nil {
		hi = w.expr(d.Range.Hi)
	}
	return text + " in " + lo.at(sum) + ".." + hi.at(sum)
}
