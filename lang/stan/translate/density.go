package translate

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ppl/lang/stan"
)

// A dist is a distribution with its arguments.
type dist struct {
	name string
	distribution
	args []value
}

// distOf returns the distribution with a Stan name.
func (x *executor) distOf(name string, args []value) dist {
	if base, ok := linearModels[name]; ok {
		return x.linearModel(name, base, args)
	}
	d, ok := distributions[name]
	if !ok {
		refuse("the distribution `" + name + "` is not in ppl")
	}
	if len(args) < len(d.kinds) {
		refuse("the distribution `" + name + "` lacks arguments")
	}
	l := dist{name: name, distribution: d, args: slices.Clone(args)}
	for i, k := range d.kinds {
		if k == 'm' {
			l.args[i] = x.nameArray("matrix", args[i])
		}
	}
	return l
}

// linearModel writes out the linear predictor of a generalised linear model.
func (x *executor) linearModel(name, base string, a []value) dist {
	first := 0
	if name == "binomial_logit_glm" {
		first = 1
	}
	rows := a[first]
	if len(rows.dims) == 1 { // one row for all observations
		rows = rowMatrix(rows)
	}
	switch name {
	case "ordered_logistic_glm":
		return x.distOf(base, []value{x.product(rows.as("matrix"), a[1]), a[2]})
	case "categorical_logit_glm":
		n, k := rows.dims[0], a[1].dims[0]
		eta := lazily(stan.Type{Word: "vector", Depth: 1}, []term{n, k}, a, func(i []term) term {
			return add(a[1].elem(i[1:]), x.dot(rowOf(rows, i[0]), columnOf(a[2], i[1])))
		})
		return x.distOf(base, []value{eta})
	}
	eta := x.infix("+", a[first+1], x.product(rows.as("matrix"), a[first+2].as("vector")))
	args := append(slices.Clone(a[:first]), eta)
	return x.distOf(base, append(args, a[first+3:]...))
}

// axesOf returns the number of axes of one value of an argument, given the letter of its kind (see distribution).
func axesOf(kind byte) int {
	return map[byte]int{'s': 0, 'v': 1, 'm': 2}[kind]
}

// outer returns the axes over which a dist and its value are repeated. These are the outer axes of the value or the
// argument that has the most.
func (l dist) outer(v value) []term {
	var dims []term
	if n := len(v.dims) - l.own; n > 0 {
		dims = v.dims[:n]
	}
	for i, k := range []byte(l.kinds) {
		if n := len(l.args[i].dims) - axesOf(k); n > len(dims) {
			dims = l.args[i].dims[:n]
		}
	}
	return dims
}

// distAt returns the dist of one value, on, at the given index of the repeated axes.
func (x *executor) distAt(l dist, index []term, on value) term {
	var parts []term
	for i, k := range []byte(l.kinds) {
		parts = append(parts, x.entire(x.oneOf(l.args[i], axesOf(k), index)))
	}
	args := numberedArgs(nodesOf(parts))
	if strings.Contains(l.text, "$x") {
		total := x.fold("sum", on)
		args["x"] = total.node
		parts = append(parts, total)
	}
	return termOf(x.templates.fill(l.text, args), parts...)
}

// oneOf returns the element of v at an index of its outer axes; the last own axes belong to one element.
func (x *executor) oneOf(v value, own int, index []term) value {
	n := len(v.dims) - own
	if n <= 0 || len(index) == 0 {
		return v
	}
	for range n {
		v = dropFirst(v, index[0])
		index = index[1:]
	}
	return v
}

// dropFirst returns the part of a value at one index of its first axis, and keeps it as one expression if possible.
func dropFirst(v value, at term) value {
	out := dropAxis(v, 0, at)
	if whole := subscripted(v.whole, at.node); whole != nil && !out.isScalar() {
		out.whole = whole
	}
	return out
}

// logDensity returns the sum over all values of the log density of a dist.
func (x *executor) logDensity(l dist, v value) term {
	var out term
	plates, index := x.axes(l.outer(v))
	on := x.oneOf(v, l.own, index)
	d := x.distAt(l, index, on)
	body := x.logOf(l, d, index, on)
	out = body
	if len(plates) > 0 {
		out = bound("sum", plates, body)
	}
	return out
}

// logOf returns the log density of a dist at one value.
func (x *executor) logOf(l dist, d term, index []term, on value) term {
	if l.overRaggedRow() {
		p := x.oneOf(l.args[0], 1, index).elem([]term{on.number()})
		return callTerm("log", p)
	}
	return callTerm("logpdf", d, x.entire(on))
}

// overRaggedRow reports whether the dist is categorical and the number of its probabilities depends on a loop index.
// The log probability is then written with the single element.
func (l dist) overRaggedRow() bool {
	if l.name != "categorical" {
		return false
	}
	dims := l.args[0].dims
	return len(dims) > 0 && len(dims[len(dims)-1].plates) > 0
}

// densityCall translates a call such as normal_lpdf(y | mu, sigma) or normal_rng(mu, sigma).
func (x *executor) densityCall(e *stan.Call, args []value) (value, bool) {
	name := stan.Normalized(e.Fun.Name)
	for _, suffix := range []string{"_lpdf", "_lpmf", "_log", "_lcdf", "_lccdf", "_cdf_log", "_ccdf_log",
		"_cdf", "_rng"} {
		base, ok := strings.CutSuffix(name, suffix)
		_, has := distributions[base]
		_, linear := linearModels[base]
		if !ok || !has && !linear {
			continue
		}
		switch suffix {
		case "_rng":
			return x.draw(base, args), true
		case "_lpdf", "_lpmf", "_log":
			l := x.distOf(base, args[1:])
			x.demand(l)
			return scalar(x.logDensity(l, args[0])), true
		}
		return scalar(x.probability(x.distOf(base, args[1:]), args[0], suffix)), true
	}
	return value{}, false
}

// probability translates a call of a distribution function whose name has the given suffix. The result is the product
// over all values or, for a logarithm, the sum.
func (x *executor) probability(l dist, v value, suffix string) term {
	var out term
	plates, index := x.axes(l.outer(v))
	on := x.oneOf(v, l.own, index).number()
	d := x.distAt(l, index, scalar(on))
	body := term{}
	fold := "sum"
	switch suffix {
	case "_cdf":
		body, fold = callTerm("cdf", d, on), "prod"
	case "_lcdf", "_cdf_log":
		body = callTerm("logcdf", d, on)
	default:
		body = callTerm("log1m", callTerm("cdf", d, on))
	}
	out = body
	if len(plates) > 0 {
		out = bound(fold, plates, body)
	}
	return out
}

// draw translates a random number of generated quantities, or an array of them.
func (x *executor) draw(base string, args []value) value {
	if x.block != "generated quantities" {
		refuse("random numbers outside of `generated quantities` are not translated yet")
	}
	if base == "multinomial" || base == "multinomial_logit" || base == "dirichlet_multinomial" {
		return x.drawCounts(base, args)
	}
	l := x.distOf(base, args)
	var out value
	dims := l.outer(value{dims: make([]term, l.own)})
	plates, index := x.axes(dims)
	d := x.distAt(l, index, value{})
	own := x.ownAxes(l, args)
	out = x.drawn(d, append(slices.Clone(x.plates), plates...), own, append(slices.Clone(dims), own...))
	out.typ = stan.Type{Word: map[bool]string{true: "int", false: "real"}[isCount(base)], Depth: len(out.dims)}
	switch l.own {
	case 1:
		out.typ = stan.Type{Word: "vector", Depth: len(out.dims) - 1}
	case 2:
		out.typ = stan.Type{Word: "matrix"}
	}
	return out
}

// drawn emits a draw, and returns the array of drawn values.
func (x *executor) drawn(d term, plates []*plate, own, dims []term) value {
	name := x.names.take(x.hint())
	slots := slotsOf(plates)
	for _, n := range own {
		slots = append(slots, bareSlot(n))
	}
	x.emit(item{name: name, slots: slots, body: d.node, draws: true, at: x.at, level: ofDraws})
	return named(name, x.plates, stan.Type{}, dims, ofDraws)
}

// drawCounts draws counts of a multinomial distribution, whose total is the last argument in Stan.
func (x *executor) drawCounts(base string, args []value) value {
	p, n := x.entire(args[0]), args[1].number()
	all := map[string]*node{"1": p.node, "x": n.node}
	out := x.drawn(termOf(x.templates.fill(distributions[base].text, all), p, n), x.plates, args[0].dims, args[0].dims)
	out.typ = stan.Type{Word: "int", Depth: 1}
	return out
}

// ownAxes returns the axes of one drawn vector or matrix, from the arguments of its distribution.
func (x *executor) ownAxes(l dist, args []value) []term {
	for i, k := range []byte(l.kinds) {
		a := args[i]
		switch {
		case l.own == 1 && k == 'v', l.own == 2 && k == 'm':
			return a.dims[len(a.dims)-l.own:]
		}
	}
	if l.own > 0 {
		refuse("the arguments do not determine the size of this random vector or matrix")
	}
	return nil
}

func isCount(name string) bool {
	return strings.Contains(name, "bernoulli") || strings.Contains(name, "binomial") ||
		strings.Contains(name, "poisson") || strings.Contains(name, "categorical") ||
		strings.HasPrefix(name, "ordered_") || name == "hypergeometric" || name == "discrete_range"
}

// hint returns a name for the value that the present statement draws.
func (x *executor) hint() string {
	if x.assigning != "" {
		return x.assigning
	}
	return "draw"
}

// Terms of the log density.

// sample translates x ~ f(args).
func (x *executor) sample(s *stan.Sample) {
	name := s.Dist.Name
	for _, suffix := range []string{"_lpdf", "_lpmf", "_log"} {
		if x.info.Functions[name+suffix] != nil {
			x.factor(x.callUserByName(name+suffix, append([]stan.Expr{s.Left}, s.Args...)).number())
			return
		}
	}
	args := x.args(s.Args)
	l := x.distOf(name, args)
	v := x.eval(withoutReshape(s.Left, args))
	var t truncation
	if s.Truncated {
		t.set = true
		if s.Lower != nil {
			lo := x.eval(s.Lower).number()
			t.lo = &lo
		}
		if s.Upper != nil {
			hi := x.eval(s.Upper).number()
			t.hi = &hi
		}
	}
	x.density(v, l, t)
}

// withoutReshape returns x for to_vector(x) if the order of elements is irrelevant, because all have the same
// distribution. It returns other expressions unchanged.
func withoutReshape(e stan.Expr, args []value) stan.Expr {
	c, ok := stan.Bare(e).(*stan.Call)
	if !ok || len(c.Args) != 1 || c.Fun.Name != "to_vector" && c.Fun.Name != "to_row_vector" &&
		c.Fun.Name != "to_array_1d" || slices.ContainsFunc(args, func(a value) bool { return !a.isScalar() }) {
		return e
	}
	return c.Args[0]
}

// A truncation holds the ends of T[lo, hi].
type truncation struct {
	set    bool
	lo, hi *term
}

func (t truncation) span() *node {
	lo, hi := literalOf("-inf"), literalOf("inf")
	if t.lo != nil {
		lo = t.lo.node
	}
	if t.hi != nil {
		hi = t.hi.node
	}
	return spanOf(lo, hi)
}

// demand gives parameters without bounds the bounds that a density requires of its arguments. Stan rejects points
// outside of them.
func (x *executor) demand(l dist) {
	if len(x.guards) > 0 || x.block == "generated quantities" {
		return
	}
	for i, need := range l.needs {
		if need == '.' || i >= len(l.args) {
			continue
		}
		_, index := x.axes(l.args[i].dims)
		root, _ := l.args[i].elem(index).node.root()
		if root == nil || x.params[root.text] == nil {
			continue
		}
		if p := x.params[root.text]; p.narrow(need == '1') {
			x.note(p.at, fmt.Sprintf("`%s` gets the bounds that `%s` requires of it", root.text, l.name))
		}
	}
}

// narrow bounds a parameter below by 0 and, if it is a probability, above by 1. It reports whether a bound is new.
func (p *parameter) narrow(probability bool) (narrower bool) {
	bound := func(v int) *value {
		b := scalar(constant(v))
		return &b
	}
	if p.lower == nil {
		p.lower, narrower = bound(0), true
	}
	if !probability {
		return narrower
	}
	if p.upper == nil {
		p.upper = bound(1)
		return true
	}
	if !p.upper.isScalar() {
		return narrower
	}
	if v, ok := p.upper.number().value(); !ok || v > 1 {
		b := scalar(callTerm("min", p.upper.number(), constant(1)))
		p.upper, narrower = &b, true
	}
	return narrower
}

// density adds a log density to that of the model. It becomes a `~` statement if the values are data or parameters
// themselves.
func (x *executor) density(v value, l dist, t truncation) {
	x.demand(l)
	plates, index := x.axes(l.outer(v))
	on := x.oneOf(v, l.own, index)
	d := x.distAt(l, index, on)
	val := x.entire(on)
	all := append(slices.Clone(x.plates), plates...)
	u := &use{dist: l, written: d, trunc: t, slots: nil}
	lp := x.logOf(l, d, index, on)
	if t.set {
		lp = x.truncated(lp, l, index, t)
		for _, e := range []*term{t.lo, t.hi} {
			if e != nil {
				u.written.level = max(u.written.level, ofData)
			}
		}
	}
	fact := item{factor: true, slots: slotsOf(all), body: x.guarded(lp).node, at: x.at, level: max(d.level,
		val.level)}
	name, slots, ok := x.headOf(val, all)
	if !ok || len(x.guards) > 0 || l.overRaggedRow() {
		x.emit(fact)
		return
	}
	u.slots = slots
	it := item{name: name, slots: slots, body: d.node, draws: true, at: x.at, level: ofParameters,
		factorBody:  fact.body,
		factorSlots: fact.slots}
	if t.set {
		it.in = t.span()
	}
	p := x.params[name]
	switch {
	case p != nil:
		u.at = len(x.items)
		it.in = nil
		p.uses = append(p.uses, u)
	case !x.observable(name, slots) || len(v.dims) < len(l.outer(v))+l.own && l.own > 0:
		x.emit(fact)
		return
	case l.own > 0 && !x.ownsRest(name, slots, l.own):
		x.emit(fact)
		return
	default:
		x.observed[name] = append(x.observed[name], slots)
	}
	x.emit(it)
}

// ownsRest reports whether the axes of name after the slots are exactly those of one value of the dist.
func (x *executor) ownsRest(name string, slots []slot, own int) bool {
	c := x.lookup(name)
	return c != nil && len(c.dims) == len(slots)+own
}

// truncated returns the log density of a value that is known to lie between two ends.
func (x *executor) truncated(lp term, l dist, index []term, t truncation) term {
	d := x.distAt(l, index, value{})
	counts := isCount(l.name)
	upto := func(e term, below bool) term {
		if below && counts {
			e = subtract(e, constant(1))
		}
		return callTerm("cdf", d, e)
	}
	mass := term{}
	switch {
	case t.lo != nil && t.hi != nil:
		p := subtract(upto(*t.hi, false), upto(*t.lo, true))
		mass = callTerm("log", p)
	case t.lo != nil:
		p := upto(*t.lo, true)
		mass = callTerm("log1m", p)
	case t.hi != nil:
		p := upto(*t.hi, false)
		mass = callTerm("log", p)
	default:
		return lp
	}
	return subtract(lp, mass)
}

// headOf returns the left side of a statement that is repeated over plates, if val is an element of data or of a
// parameter. ok is false if it is not, or if the index of a plate is not one of its subscripts.
func (x *executor) headOf(val term, plates []*plate) (name string, slots []slot, ok bool) {
	root, subs := val.node.root()
	if root == nil {
		return "", nil, false
	}
	found := map[*plate]bool{}
	for _, s := range subs {
		at := slices.IndexFunc(plates, func(p *plate) bool { return s.kind == kindIndex && p == s.plate })
		switch {
		case at >= 0 && !found[plates[at]]:
			found[plates[at]] = true
			slots = append(slots, slotsOf(plates[at:at+1])...)
		case s.isDigits():
			n, _ := wholeNumber(s.text)
			slots = append(slots, single(constant(n)))
		default:
			return "", nil, false
		}
	}
	return root.text, slots, len(found) == len(plates)
}

// observable reports whether name is data, or computed from data alone, and these elements have no distribution yet.
func (x *executor) observable(name string, slots []slot) bool {
	if !x.isData[name] || !x.isWhole(name, slots) {
		return false
	}
	for _, before := range x.observed[name] {
		if !disjointSlots(before, slots) {
			return false
		}
	}
	return true
}

// isWhole reports whether name is data, or an array defined by one statement whose elements all have the distribution.
// A part of such a definition cannot have a distribution.
func (x *executor) isWhole(name string, slots []slot) bool {
	var found []item
	for _, it := range x.items {
		if it.name == name && !it.draws {
			found = append(found, it)
		}
	}
	if len(found) != 1 {
		return false
	}
	of := found[0]
	if of.isData || len(of.slots) == 0 {
		return true
	}
	for i, s := range slots {
		if i >= len(of.slots) || s.one || of.slots[i].one || !same(s.lo, of.slots[i].lo) ||
			!same(s.hi, of.slots[i].hi) {
			return false
		}
	}
	return true
}

func disjointSlots(a, b []slot) bool {
	for i := range min(len(a), len(b)) {
		if d, ok := difference(a[i].lo, b[i].hi); ok && d > 0 {
			return true
		}
		if d, ok := difference(b[i].lo, a[i].hi); ok && d > 0 {
			return true
		}
	}
	return false
}

// guarded makes a term of the log density 0 unless all enclosing conditions hold.
func (x *executor) guarded(t term) term {
	for i := len(x.guards) - 1; i >= 0; i-- {
		t = choose(x.guards[i], t, constant(0))
	}
	return t
}

// factor adds a term to the log density.
func (x *executor) factor(t term) {
	t = x.guarded(t)
	if v, ok := t.value(); ok && !math.IsInf(v, 0) && !math.IsNaN(v) { // a constant has no effect
		return
	}
	x.emit(item{factor: true, slots: slotsOf(x.plates), body: t.node, at: x.at, level: t.level})
}

// increment translates target += e.
func (x *executor) increment(e stan.Expr) {
	switch e := stan.Bare(e).(type) {
	case *stan.Binary:
		if e.Op == "+" && x.info.Types[e].Scalar() {
			x.increment(e.X)
			x.increment(e.Y)
			return
		}
	case *stan.Call:
		if x.incrementCall(e) {
			return
		}
	}
	v := x.eval(e)
	if v.isScalar() {
		x.factor(v.number())
		return
	}
	x.factor(x.fold("sum", v))
}

// incrementCall translates target += normal_lpdf(y | mu, sigma) to y ~ Normal(mu, sigma), and log_mix of two densities
// of one value to a mixture.
func (x *executor) incrementCall(e *stan.Call) bool {
	base, ok := densityName(e.Fun.Name)
	if ok && x.info.Functions[stan.Normalized(e.Fun.Name)] == nil {
		v := x.eval(e.Args[0])
		x.density(v, x.distOf(base, x.args(e.Args[1:])), truncation{})
		return true
	}
	if e.Fun.Name != "log_mix" || len(e.Args) != 3 {
		return false
	}
	var calls [2]*stan.Call
	var dists [2]dist
	for i, a := range e.Args[1:] {
		c, isCall := stan.Bare(a).(*stan.Call)
		if !isCall || x.info.Functions[stan.Normalized(c.Fun.Name)] != nil {
			return false
		}
		base, ok := densityName(c.Fun.Name)
		if !ok || distributions[base].own > 0 || distributions[base].text == "" {
			return false
		}
		calls[i] = c
		dists[i] = x.distOf(base, x.args(c.Args[1:]))
	}
	on := x.eval(calls[0].Args[0])
	if calls[0].Args[0].Span().Text() != calls[1].Args[0].Span().Text() || !on.isScalar() ||
		len(dists[0].outer(on))+len(dists[1].outer(on)) > 0 || isCount(dists[0].name) != isCount(dists[1].name) {
		return false
	}
	weight := x.eval(e.Args[0])
	if !weight.isScalar() {
		return false
	}
	text := "Mixture($1, [" + dists[0].renumbered(1) + ", " + dists[1].renumbered(1+len(dists[0].kinds)) + "])"
	l := dist{name: dists[0].name, args: append([]value{weight}, append(slices.Clone(dists[0].args),
		dists[1].args...)...)}
	l.distribution = distribution{text: text, kinds: "s" + dists[0].kinds + dists[1].kinds}
	x.density(on, l, truncation{})
	return true
}

// renumbered returns the text of a dist with its argument numbers increased, because other arguments precede them.
func (l dist) renumbered(by int) string {
	text := l.text
	for i := len(l.kinds); i >= 1; i-- {
		text = strings.ReplaceAll(text, "$"+strconv.Itoa(i), "$"+strconv.Itoa(i+by))
	}
	return text
}

// densityName returns the name of the distribution in a call of a log density: normal for normal_lpdf.
func densityName(call string) (string, bool) {
	name := stan.Normalized(call)
	for _, suffix := range []string{"_lpdf", "_lpmf", "_log"} {
		base, ok := strings.CutSuffix(name, suffix)
		_, has := distributions[base]
		_, linear := linearModels[base]
		if ok && (has || linear) {
			return base, true
		}
	}
	return "", false
}
