// Package check turns a syntax tree into a checked model: it finds what each name is from the equations, gives every expression
// a type and its axes, matches axes by index set, inlines functions, and says everything that is wrong at once.
//
// The unit of work is the name: a name's statements are elaborated when something reads it, so statements may stand in
// any order and a name that is read while it is being elaborated is a cycle.
package check

import (
	"math"
	"slices"
	"strings"

	"ppl/compiler/model"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/lang/parse"
	"ppl/lang/source"
	"ppl/lang/types"
	"ppl/stdlib"
)

// File checks a parsed file; load parses what it imports. The model is usable only when no diagnostic is an error. Of a file
// with statements that could not be parsed the errors in the others are found.
func File(f *ast.File, load Loader) (*model.Model, []diag.Diagnostic) {
	c := &checker{load: load, model: &model.Model{Source: f.Source}, sizes: map[string]*model.Size{}}
	c.global = newScope(c.prelude())
	stmts := c.kept(f)
	c.mentioned = ast.Mentioned(stmts)
	c.primes = primes(stmts)
	c.collect(stmts, c.global)
	c.elaborate(c.global)
	c.systems()
	c.finish()
	return c.model, c.diags.All()
}

// prelude is the scope of the library's functions that are written in the language; user names hide them.
func (c *checker) prelude() *scope {
	file, ds := parse.File(source.New("prelude.ppl", stdlib.Prelude))
	if len(ds) > 0 {
		panic("internal error: the prelude does not parse: " + ds[0].Message)
	}
	s := newScope(nil)
	c.collectLibrary(file, s, "prelude.ppl")
	return s
}

type checker struct {
	model     *model.Model
	diags     diag.List
	global    *scope
	sizes     map[string]*model.Size // index sets that data give
	nextID    int                    // of indices
	depth     int                    // of function inlining
	load      Loader
	importing []string
	primes    map[string]bool // names with a derivative
	odes      []*trajectory
	queries   []*model.StateAt
	refused   []*model.Array  // latents whose own law is refused
	circular  []*model.Array  // reported as drawn from each other
	mentioned map[string]bool // names that stand in an expression
	lost      map[string]bool // names in statements that could not be parsed
	open      []*arrayInfo    // definitions being elaborated, outermost first
}

func (c *checker) errorf(code string, at source.Span, format string, args ...any) diag.Entry {
	return c.diags.Errorf(code, at, format, args...)
}

func (c *checker) notYet(at source.Span, what string) {
	c.errorf("E99", at, "%s: not compiled by this version of ppl yet", what)
}

// ---- scopes ----

// A scope maps names to what they mean; order does not matter.
type scope struct {
	parent *scope
	names  map[string]*entity
	order  []*entity
	inst   *instance // set on the outermost scope of a template's use
}

func newScope(parent *scope) *scope {
	return &scope{parent: parent, names: map[string]*entity{}}
}

func (s *scope) lookup(name string) *entity {
	for ; s != nil; s = s.parent {
		if e := s.names[name]; e != nil {
			return e
		}
	}
	return nil
}

func (s *scope) add(e *entity) {
	s.names[e.name] = e
	s.order = append(s.order, e)
}

// An entity is what a name means. Exactly one of array, expr, index, set, fn is set.
type entity struct {
	name  string
	at    source.Span
	used  bool
	array *arrayInfo
	expr  model.Expr // a function's argument
	index *model.Index
	set   *model.Set
	fn    *function
	outer []*model.Index // of an array inside a template: the plates it is read at
	file  *scope         // an imported file
	ode   *trajectory
}

// An arrayInfo is an array with the statements that define it.
type arrayInfo struct {
	*model.Array
	scope    *scope
	decl     *ast.Decl
	defs     []define
	draws    []draw
	state    state
	heads    []headSlots // of defs
	recurs   bool        // it was read while it was being worked out
	observed bool
	outer    []*model.Index // plates of the template's use, before the array's own
}

type define struct {
	head *ast.Head
	stmt *ast.Define
}

// A draw is one head of a ~ statement on its way to a term.
type draw struct {
	head  *ast.Head
	stmt  *ast.Draw
	scope *scope // holds the plate indices
	slots []model.Slot
	bare  []*model.Index // plates without a name, matched by their set
	event []*model.Set
	law   *law
	// returned is what a template's block returns by its name
	returned *entity
}

type state uint8

const (
	untouched state = iota
	visiting
	typed // axes and support are known; bodies of draws may still wait
	done
)

// A function is inlined at every call, a template at every draw.
type function struct {
	name  string
	at    source.Span
	head  *ast.Head
	stmt  *ast.Define // of a function
	draw  *ast.Draw   // of a template
	scope *scope
	busy  bool
}

// ---- collecting ----

// collect enters the names that a list of statements defines: data first, since whether a name is declared as data says what its
// other statements mean, wherever they stand.
func (c *checker) collect(stmts []ast.Stmt, s *scope) {
	for _, st := range stmts {
		if st, ok := st.(*ast.Data); ok {
			for _, d := range st.Decls {
				c.collectData(d, st, s)
			}
		}
	}
	for _, st := range stmts {
		switch st := st.(type) {
		case *ast.Define:
			for _, h := range st.Heads {
				c.collectDefine(h, st, s)
			}
		case *ast.Draw:
			for _, h := range st.Heads {
				c.collectDraw(h, st, s)
			}
		case *ast.Infer:
			c.collectInfer(st)
		case *ast.Import:
			c.collectImport(st, s)
		}
	}
}

func (c *checker) collectData(d *ast.Decl, st *ast.Data, s *scope) {
	if s != c.global {
		c.errorf("E00", d.Span(), "`data` stands at the top of a file, not in a block")
		return
	}
	if old := s.names[d.Name.Name]; old != nil {
		c.errorf("E11", d.Name.Span(), "`%s` is defined twice", d.Name.Name).Related(old.at, "first defined here")
		return
	}
	a := c.newArray(d.Name, s)
	a.decl, a.Role, a.Missing = d, model.Data, d.Missing
	if st.From != nil {
		a.From = st.From.Value
	}
}

func (c *checker) newArray(id ast.Ident, s *scope) *arrayInfo {
	a := &arrayInfo{Array: &model.Array{Name: id.Name, At: id.Span()}, scope: s}
	s.add(&entity{name: id.Name, at: id.Span(), array: a})
	if s == c.global {
		c.model.Arrays = append(c.model.Arrays, a.Array)
	}
	return a
}

func (c *checker) collectDefine(h *ast.Head, st *ast.Define, s *scope) {
	switch {
	case h.Prime:
		c.collectPrime(h, st, s)
		return
	case len(h.Path) > 1:
		c.errorf("E00", h.Span(), "`%s` cannot be defined: a dotted name belongs to another statement", h.Name())
		return
	case h.HasParams && s == c.global && c.primes[h.Path[0].Name]:
		c.collectInitial(h, st, s)
		return
	case h.HasParams:
		c.collectFunction(h, st, s)
		return
	}
	if a := c.arrayFor(h, s); a != nil {
		if a.Role == model.Data && a.decl != nil {
			c.errorf("E11", h.Span(), "`%s` is data (line %d) and cannot be defined too", a.Name, a.At.Line()).
				Related(a.At, "declared here")
			return
		}
		a.defs = append(a.defs, define{h, st})
		a.Save = a.Save || st.Generate
	}
}

func (c *checker) collectFunction(h *ast.Head, st *ast.Define, s *scope) {
	name := h.Path[0].Name
	if len(h.Slots) > 0 {
		c.notYet(h.Span(), "a family of functions")
		return
	}
	if old := s.names[name]; old != nil {
		c.errorf("E11", h.Span(), "`%s` is defined twice", name).Related(old.at, "first defined here")
		return
	}
	s.add(&entity{name: name, at: h.Span(), fn: &function{name: name, at: h.Span(), head: h, stmt: st, scope: s}})
}

func (c *checker) collectDraw(h *ast.Head, st *ast.Draw, s *scope) {
	switch {
	case h.HasParams || st.Block != nil:
		c.collectTemplate(h, st, s)
		return
	case len(h.Path) > 1:
		c.notYet(h.Span(), "weights of a network")
		return
	case s != c.global:
		c.collectInner(h, st, s)
		return
	}
	if a := c.arrayFor(h, s); a != nil {
		a.draws = append(a.draws, draw{head: h, stmt: st})
	}
}

// arrayFor finds or makes the array of a head.
func (c *checker) arrayFor(h *ast.Head, s *scope) *arrayInfo {
	id := h.Path[0]
	old := s.names[id.Name]
	if old == nil {
		a := c.newArray(id, s)
		a.Role = model.Definition
		return a
	}
	if old.array == nil {
		c.errorf("E11", h.Span(), "`%s` is defined twice", id.Name).Related(old.at, "first defined here")
	}
	return old.array
}

func (c *checker) collectInfer(st *ast.Infer) {
	for _, e := range st.Calls {
		call := model.InferCall{At: e.Span()}
		switch e := e.(type) {
		case *ast.Name:
			call.Name = e.Name
		case *ast.Call:
			n, ok := e.Fun.(*ast.Name)
			if !ok {
				c.errorf("E00", e.Span(), "`infer` wants the name of a sampler, such as `infer renhd(replicas = 8)`")
				continue
			}
			call.Name = n.Name
			call.Args = c.inferArgs(e)
		default:
			c.errorf("E00", e.Span(), "`infer` wants the name of a sampler, such as `infer renhd(replicas = 8)`")
			continue
		}
		c.model.Infer = append(c.model.Infer, call)
	}
}

func (c *checker) inferArgs(e *ast.Call) (args []model.InferArg) {
	for _, a := range e.Args {
		if a.Name == nil {
			c.errorf("E00", a.Span(), "an option of `infer` has a name: write `replicas = 8`")
			continue
		}
		text := a.Value.Span().Text()
		if s, ok := a.Value.(*ast.String); ok {
			text = s.Value
		}
		args = append(args, model.InferArg{At: a.Span(), Name: a.Name.Name, Value: text})
	}
	return args
}

// ---- elaborating ----

// elaborate gives every array of a scope its role, type and pieces.
func (c *checker) elaborate(s *scope) {
	var order []*entity
	for _, e := range s.order {
		if e.array == nil || e.array.scope == s { // not what a template observes
			order = append(order, e)
		}
	}
	for _, e := range order { // data first: their axes name the index sets
		if e.array != nil && e.array.decl != nil {
			c.declare(e.array)
		}
	}
	for _, e := range order {
		if e.array != nil {
			c.roles(e.array)
		}
	}
	for _, e := range order {
		if e.array != nil {
			c.resolve(e.array)
		}
	}
	for _, e := range order {
		if e.array != nil {
			c.drawBodies(e.array)
		}
	}
}

// declare gives a data array its axes and type.
func (c *checker) declare(a *arrayInfo) {
	d := a.decl
	a.state = done
	for _, set := range d.Sets {
		a.Type.Axes = append(a.Type.Axes, c.declaredSet(set, a.scope))
	}
	a.Type.Range = stdlib.Range{Lo: math.Inf(-1), Hi: math.Inf(1)}
	c.declareType(a, d)
	if d.Bounds != nil {
		a.Bounds = &model.Bounds{Lo: c.staticInt(a.scope, d.Bounds.Lo, false), Hi: c.staticInt(a.scope, d.Bounds.Hi, false)}
		a.Type.Range = rangeBetween(a.Bounds)
	}
	if d.Value != nil {
		a.Value = c.expr(a.scope, d.Value)
		if other := readsOtherData(a.Value); other != "" {
			c.errorf("E48", d.Value.Span(), "the value of data `%s` reads data `%s`; write what is computed as a definition: `%s = …`", a.Name, other, a.Name)
		}
		if !a.Value.Info().Static {
			c.errorf("E48", d.Value.Span(), "the value of data `%s` must be known before sampling", a.Name)
		}
		if !d.Span().Valid() || len(a.Type.Axes) != literalRank(d.Value) {
			e := c.errorf("E42", d.Value.Span(), "`%s` is declared with %s, but the value has %d",
				a.Name, haveAxes(a.Type.Axes), literalRank(d.Value))
			if len(a.Type.Axes) == 0 {
				e.Help("name them: `data %s[%s] = …`", a.Name, strings.Join([]string{"N", "D", "K", "L"}[:min(literalRank(d.Value), 4)], ", "))
			}
		}
		a.Type.Range = a.Value.Info().Type.Range
		a.Type.Elem = a.Value.Info().Type.Elem
	}
}

// readsOtherData names data that a value reads, itself or through definitions; empty when there are none.
func readsOtherData(x model.Expr) (name string) {
	seen := map[*model.Array]bool{}
	var visit func(x model.Expr)
	visit = func(x model.Expr) {
		model.Walk(x, func(y model.Expr) {
			r, ok := y.(*model.Ref)
			switch {
			case !ok || seen[r.Array]:
				return
			case r.Array.Role == model.Data:
				name = r.Array.Name
			}
			seen[r.Array] = true
			for _, p := range r.Array.Pieces {
				visit(p.Value)
			}
		})
	}
	visit(x)
	return name
}

func (c *checker) declareType(a *arrayInfo, d *ast.Decl) {
	if d.Type == nil {
		a.Type.Elem = types.Real
		return
	}
	switch d.Type.Name {
	case "real":
		a.Declared = types.Real
	case "int":
		a.Declared, a.NeedInt = types.Int, true
	case "bool":
		a.Declared, a.NeedInt = types.Bool, true
		a.Type.Range = stdlib.Range{Lo: 0, Hi: 1, Int: true}
	case "index":
		if d.TypeArg == nil {
			c.errorf("E00", d.Type.Span(), "`index` wants its set: `index(J)`")
			return
		}
		a.NeedInt = true
		a.IndexOf = c.indexSet(d.TypeArg, a.scope)
		a.Type.Range = stdlib.Range{Lo: 1, Hi: math.Inf(1), Int: true}
	default:
		e := c.errorf("E10", d.Type.Span(), "there is no type `%s`", d.Type.Name)
		if near, ok := diag.Nearest(d.Type.Name, []string{"real", "int", "bool", "index"}); ok {
			e.Help("did you mean `%s`?", near)
		} else {
			e.Help("types of data are real, int, bool and index(J)")
		}
	}
	a.Type.Elem = a.Declared
	if a.NeedInt {
		a.Type.Elem = types.Int
	}
}

// literalRank counts the nesting of a list literal.
func literalRank(e ast.Expr) int {
	switch e := e.(type) {
	case *ast.Paren:
		return literalRank(e.X)
	case *ast.List:
		if len(e.Items) == 0 {
			return 1
		}
		return 1 + literalRank(e.Items[0])
	}
	return 0
}

// roles decides what an array is from the statements that mention it on their left.
func (c *checker) roles(a *arrayInfo) {
	if a.decl != nil {
		a.observed = len(a.draws) > 0
		if a.Missing {
			c.missingRole(a)
		}
		return
	}
	if len(a.draws) == 0 {
		a.Role = model.Definition
		return
	}
	generated := 0
	for _, d := range a.draws {
		if d.stmt.Generate {
			generated++
		}
	}
	switch {
	case generated == len(a.draws):
		a.Role, a.Save = model.Generated, true
	case generated > 0:
		c.errorf("E84", a.At, "`%s` is drawn both in the model and after inference", a.Name)
	case len(a.defs) > 0 && c.sameRegion(a):
		a.Role, a.observed = model.Definition, true
	default:
		a.Role, a.Save = model.Parameter, true
	}
}

// missingRole: what holes in data become. Where nothing else reads them they are dropped, their integral being 1; else they
// are parameters, or latents of a discrete law.
func (c *checker) missingRole(a *arrayInfo) {
	if a.decl.MissingCode != nil {
		a.MissingCode = c.staticInt(a.scope, a.decl.MissingCode, false)
	}
	switch {
	case len(a.draws) == 0 && c.lost[a.Name]:
	case len(a.draws) == 0:
		c.errorf("E83", a.At, "`%s` has missing entries, so it needs a law: `%s[i in N] ~ …`", a.Name, a.Name)
	case !c.mentioned[a.Name]:
	case !slices.ContainsFunc(a.draws, func(d draw) bool { return !discreteLaw(d) }):
		a.Role = model.Latent
	case !c.oneSupport(a):
		c.notYet(a.At, "missing entries that other statements read, in an array observed in pieces by laws with different supports")
	default:
		a.Role = model.Imputed
	}
}

// oneSupport: the pieces of an array have laws on the same numbers, so that its holes are one parameter.
func (c *checker) oneSupport(a *arrayInfo) bool {
	first := c.distRow(&a.draws[0])
	return len(a.draws) == 1 || !slices.ContainsFunc(a.draws, func(d draw) bool {
		dist := c.distRow(&d)
		return dist == nil || d.stmt.Law.In != nil || dist.Support != first.Support || dist.Lo != first.Lo || dist.Hi != first.Hi || dist.Forms[0].Bounds != nil
	})
}

func discreteLaw(d draw) bool {
	n := distName(d.stmt.Law.Dist)
	return n != nil && stdlib.Dists()[n.Name] != nil && stdlib.Dists()[n.Name].Discrete()
}

// sameRegion tells an observed definition (total = 0; total ~ …) from an array in pieces (h[0] = 0; h[t in 1..T] ~ …).
func (c *checker) sameRegion(a *arrayInfo) bool {
	for _, d := range a.defs {
		for _, w := range a.draws {
			if !piecesDiffer(d.head, w.head) {
				return true
			}
		}
	}
	return false
}

func piecesDiffer(a, b *ast.Head) bool {
	if len(a.Slots) != len(b.Slots) {
		return false
	}
	for i := range a.Slots {
		if a.Slots[i].Set.Span().Text() != b.Slots[i].Set.Span().Text() {
			return true
		}
	}
	return false
}

// resolve gives an array its axes, element type and range; of definitions, the values too.
func (c *checker) resolve(a *arrayInfo) {
	if a.state != untouched {
		return
	}
	a.state = visiting
	c.open = append(c.open, a)
	defer func() { c.open = c.open[:len(c.open)-1] }()
	slices.SortStableFunc(a.defs, func(d, e define) int { // what begins an array before what goes on
		return boolInt(d.mentions(a.Name)) - boolInt(e.mentions(a.Name))
	})
	for _, d := range a.defs {
		a.heads = append(a.heads, c.headOf(a, d))
	}
	for i := range a.defs {
		if !c.definePiece(a, i) && a.recurs {
			a.Pieces, a.state = nil, typed
			return
		}
	}
	if a.Role != model.Definition {
		for i := range a.draws {
			c.drawPiece(a, &a.draws[i])
		}
	}
	if !a.recurs {
		c.cover(a)
	}
	a.state = typed
}

func (d define) mentions(name string) bool { return ast.Mentioned([]ast.Stmt{d.stmt})[name] }

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return itoa(n) + " " + many
}
