package check

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ppl/compiler/frontend/model"
	"ppl/compiler/frontend/typing"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/lang/types"
	"ppl/stdlib"
)

// expr gives an expression its type.
func (c *checker) expr(s *scope, e ast.Expr) model.Expr {
	switch e := e.(type) {
	case *ast.Number:
		n := typing.Number(e.Value, e).(*model.Num)
		if !e.IsInt {
			n.Type.Elem, n.Type.Range.Int = types.Real, false
		}
		return n
	case *ast.Paren:
		return c.expr(s, e.X)
	case *ast.Name:
		return c.name(s, e)
	case *ast.Unary:
		return c.Operator(e, e.Op, e.Span(), c.expr(s, e.X))
	case *ast.Binary:
		return c.binary(s, e)
	case *ast.Cond:
		return c.cond(s, e)
	case *ast.Pipe:
		return c.pipe(s, e)
	case *ast.Call:
		return c.call(s, e)
	case *ast.Index:
		return c.subscript(s, e)
	case *ast.List:
		return c.list(s, e)
	case *ast.Comprehension:
		return c.comprehension(s, e)
	case *ast.Member:
		return c.dotted(s, e)
	case *ast.String:
		c.Errorf(diag.WrongKind, e.Span(), "a text cannot be used in arithmetic").
			Help("a text names an element of an index set: `a[\"Guy's\"]`, or `sex[i] == \"M\"` for `data sex[N]: " +
				"index(S)`")
	default:
		panic("internal error: unknown expression")
	}
	return typing.Poison(e)
}

// libraryConstants are values that need no definition.
var libraryConstants = map[string]struct {
	value float64
	elem  types.Elem
}{
	"pi": {math.Pi, types.Real}, "inf": {math.Inf(1), types.Real}, "true": {1, types.Bool}, "false": {0, types.Bool},
}

func (c *checker) name(s *scope, e *ast.Name) model.Expr {
	ent := s.lookup(e.Name)
	if ent == nil {
		if k, ok := libraryConstants[e.Name]; ok {
			n := typing.Number(k.value, e).(*model.Num)
			n.Type.Elem = k.elem
			return n
		}
		if size := c.sizes[e.Name]; size != nil {
			return c.sizeExpr(size, e)
		}
		c.undefined(s, e)
		return typing.Poison(e)
	}
	ent.used = true
	switch {
	case ent.index != nil:
		return typing.IndexVar(ent.index, e)
	case ent.expr != nil:
		return ent.expr
	case ent.set != nil:
		return typing.SetSize(ent.set, e)
	case ent.array != nil:
		x := c.ref(ent.array, e)
		if step := c.inStep(ent.array, e); step != nil && !typing.IsPoison(x) {
			return step
		}
		return at(x, ent.outer, e)
	case ent.dist != nil:
		c.Errorf(diag.WrongKind, e.Span(), "`%s` is a distribution; it stands after `~`", e.Name).Related(ent.at,
			"the argument")
	case ent.ode != nil:
		c.Errorf(diag.WrongKind, e.Span(), "`%s` is a function of time; write `%s(t)`", e.Name, e.Name).Related(ent.at,
			"defined here")
	case ent.fn != nil:
		c.Errorf(diag.WrongKind, e.Span(), "`%s` is a function; call it with arguments: `%s(…)`", e.Name,
			e.Name).Related(ent.at, "defined here")
	}
	return typing.Poison(e)
}

// ref reads a whole array.
func (c *checker) ref(a *arrayInfo, e ast.Node) model.Expr {
	open := a.state == visiting
	if open && !c.provisional(a) {
		c.cycle(a, e)
		return typing.Poison(e)
	}
	c.resolve(a)
	if isBroken(a) {
		return typing.Poison(e)
	}
	return &model.Ref{Array: a.Array, Fact: model.Fact{At: e.Span(), Type: a.Type, Static: !open && c.isStatic(a)}}
}

// isBroken reports an array whose own statements were refused.
func isBroken(a *arrayInfo) bool {
	return a.decl == nil && len(a.Pieces) == 0
}

func (c *checker) isStatic(a *arrayInfo) bool {
	if a.Role == model.Data {
		return true
	}
	if a.Role != model.Definition {
		return false
	}
	for _, p := range a.Pieces {
		if p.Value != nil && !p.Value.Info().Static {
			return false
		}
	}
	return true
}

func (c *checker) cycle(a *arrayInfo, e ast.Node) {
	path, from := "", slices.Index(c.open, a)
	for _, b := range c.open[from:] {
		path += b.Name + " → "
	}
	if len(c.open)-from == 1 {
		d := c.Errorf(diag.Circular, e.Span(), "`%s` is defined by itself", a.Name).Related(a.At, "the definition")
		if len(a.draws) > 0 {
			d.Help("a series reads its past in the arguments of its distribution, and has all of its axes on the "+
				"left: `%s[t in 2..T, 1..2] ~ …`", a.Name)
		}
		return
	}
	d := c.Errorf(diag.Circular, e.Span(), "these define each other: %s%s", path, a.Name)
	for _, b := range c.open[from:] {
		d = d.Related(b.At, "`%s`", b.Name)
	}
	d.Help("give one of them a distribution, `%s ~ …`, or a value that reads none of the others", a.Name)
}

func (c *checker) undefined(s *scope, e *ast.Name) {
	if c.dropped[e.Name] {
		return
	}
	d := c.Errorf(diag.Undefined, e.Span(), "`%s` is not defined", e.Name)
	c.unknowns++
	if c.unknowns <= mostHints {
		c.undefinedHelp(d, s, e)
	}
	s2 := c.global
	s2.names[e.Name] = &entity{name: e.Name, at: e.Span(), used: true, expr: typing.Poison(e)} // one report per name
}

// undefinedHelp says what a name that is not defined may mean.
func (c *checker) undefinedHelp(d diag.Entry, s *scope, e *ast.Name) {
	if f := c.leftCallOf(e.Name); f != nil {
		d.Related(f.at, "this defines `%s`, not `%s`", f.name, e.Name)
		d.Help("%s", mendLeft(f.fn.head, f.fn.statement()))
	} else if code, foreign := stdlib.Foreign(e.Name); foreign && !strings.ContainsAny(code, "([") {
		meant(d, e.Name, stdlib.Foreign, nil)
	} else if e.Span().File == c.Model.Source { // a function of another tool is called: this is none
		c.missingParameter(d, s, e)
	} else if isSubscript(e) && !indexShaped(e.Name) {
		d.Help("a label is written in quotes: `%q`", e.Name).Replace(strconv.Quote(e.Name))
	} else if near, ok := diag.Nearest(e.Name, c.visible(s)); ok {
		d.Meant("`%s`", near).Replace(near)
	}
}

// missingParameter says how an undefined name of a model becomes a parameter, and after that which name of the model
// may be meant. Functions of the library are no guess: what is named like one, such as `sigma` like `sign`, is more
// often a parameter that was forgotten.
func (c *checker) missingParameter(d diag.Entry, s *scope, e *ast.Name) {
	if slices.Contains(otherModules, e.Name) {
		d.Help("functions stand by themselves, `exp(x)`; a matrix product is `X @ b`")
		return
	}
	if set := indexElsewhere(e); set != "" {
		d.Help("`%s` is an index of other statements: declare it on the left of this one, too, `…[%s in %s]`; what is "+
			"drawn after inference begins with `generate`", e.Name, e.Name, set)
		return
	}
	if isSubscript(e) && len(indicesOf(s)) == 0 && indexShaped(e.Name) {
		d.Help("an index is declared on the left of its statement: `…[%s in …] ~ …`", e.Name)
		return
	}
	indices := indicesOf(s)
	if isSubscript(e) && len(indices) > 0 && indexShaped(e.Name) {
		d.Meant("the index %s", diag.Or(indices))
		return
	}
	give := "a parameter needs a distribution, such as `" + withAxes(s, e) + " ~ " + firstPrior(e.Name) + "`"
	if near, ok := diag.Nearest(e.Name, c.defined(s)); ok {
		d.Help("%s; or %s", give, diag.Meant("`%s`", near)).Replace(near)
		return
	}
	switch {
	case !isSubscript(e):
		d.Help("%s", give)
	case len(indices) > 0:
		d.Help("%s A label is written in quotes: `%q`", diag.Meant("the index %s", diag.Or(indices)), e.Name)
	default:
		d.Help("a label is written in quotes: `%q`", e.Name).Replace(strconv.Quote(e.Name))
	}
}

// indexElsewhere is the set over which other statements of the file have a name for an index; empty where none has.
func indexElsewhere(e *ast.Name) string {
	text := e.Span().File.Text
	for rest := text; !strings.HasPrefix(strings.TrimSpace(rest), "in"); { // the expression takes long in a long text
		_, after, there := strings.Cut(rest, e.Name)
		if !there {
			return ""
		}
		rest = after
	}
	found := regexp.MustCompile(`[\[,]\s*` + regexp.QuoteMeta(e.Name) + `\s+in\s+(\w+(\.\.\w+)?)`).
		FindStringSubmatch(text)
	if found == nil {
		return ""
	}
	return found[1]
}

// indexShaped reports whether a name is one letter, as most indices are.
func indexShaped(name string) bool { return len(name) == 1 && name >= "a" && name <= "z" }

// isSubscript reports whether a name is all of a subscript, as j is in x[i, j].
func isSubscript(e *ast.Name) bool {
	text, span := e.Span().File.Text, e.Span()
	before, after := strings.TrimSpace(text[:span.Start]), strings.TrimSpace(text[span.End:])
	open := strings.LastIndexAny(before, "[]()")
	return (strings.HasSuffix(before, "[") || strings.HasSuffix(before, ",") && before[open] == '[') &&
		(strings.HasPrefix(after, "]") || strings.HasPrefix(after, ","))
}

// indicesOf are the indices that a statement declares, in quotes.
func indicesOf(s *scope) (names []string) {
	for ; s != nil; s = s.parent {
		for _, e := range s.order {
			if e.index != nil {
				names = append(names, "`"+e.name+"`")
			}
		}
	}
	return sorted(names)
}

// withAxes is an undefined name with the axis of the index by which it is read: z[J] for z[j].
func withAxes(s *scope, e *ast.Name) string {
	span := e.Span()
	rest := span.File.Text[span.End:]
	if !strings.HasPrefix(rest, "[") {
		return e.Name
	}
	name, _, _ := strings.Cut(rest[1:], "]")
	if i := s.lookup(name); i != nil && i.index != nil {
		return e.Name + "[" + i.index.Set.Name + "]"
	}
	return e.Name
}

// otherModules are what functions stand in elsewhere.
var otherModules = []string{"np", "numpy", "jnp", "math", "pt", "pm", "tf", "torch", "scipy", "special"}

// mostHints is for how many unknown names one like it is looked for: that takes time in proportion to all names.
const mostHints = 50

// firstPrior is a distribution to begin with: names of scales are positive.
func firstPrior(name string) string {
	for _, scale := range []string{"sigma", "tau", "sd", "scale", "omega"} {
		if strings.HasPrefix(strings.ToLower(name), scale) {
			return "HalfNormal(1)"
		}
	}
	return "Normal(0, 1)"
}

// meant adds to a report of an unknown name what to write instead: how ppl says what Stan, PyMC or NumPyro call so, or
// the nearest name.
func meant(d diag.Entry, name string, foreign func(name string) (code string, ok bool), among []string) {
	if code, ok := foreign(name); ok {
		if stdlib.Dists()[code] != nil {
			d.Meant("`%s`", code).Replace(code)
		} else {
			d.Help("write `%s`", code)
		}
	} else if near, ok := diag.Nearest(name, among); ok {
		d.Meant("`%s`", near).Replace(near)
	}
}

// visible are the names that an expression may read: those of the model, and functions.
func (c *checker) visible(s *scope) (names []string) {
	names = c.defined(s)
	for n := range stdlib.Funcs() {
		names = append(names, n)
	}
	for n := range c.global.parent.names { // the prelude
		names = append(names, n)
	}
	return sorted(names)
}

// defined are the names that the model gives a meaning.
func (c *checker) defined(s *scope) (names []string) {
	for ; s != nil && s != c.global.parent; s = s.parent {
		for n := range s.names {
			names = append(names, n)
		}
	}
	for n := range c.sizes {
		names = append(names, n)
	}
	return sorted(names)
}

// labelled is a comparison of an index with the name of an element: sex[i] == "M".
func (c *checker) labelled(s *scope, e *ast.Binary) (x, y model.Expr, ok bool) {
	if e.Op != "==" && e.Op != "!=" {
		return nil, nil, false
	}
	left, isLeft := e.X.(*ast.String)
	right, isRight := e.Y.(*ast.String)
	switch {
	case isRight && !isLeft:
		x = c.expr(s, e.X)
		y = c.LabelOf(x, right)
	case isLeft && !isRight:
		y = c.expr(s, e.Y)
		x = c.LabelOf(y, left)
	default:
		return nil, nil, false
	}
	return x, y, true
}

func (c *checker) binary(s *scope, e *ast.Binary) model.Expr {
	if x, y, ok := c.labelled(s, e); ok {
		return c.Operator(e, e.Op, e.OpAt, x, y)
	}
	x, y := c.expr(s, e.X), c.expr(s, e.Y)
	if e.Op == "@" {
		return c.Matmul(e, x, y)
	}
	return c.Operator(e, e.Op, e.OpAt, x, y)
}

func (c *checker) cond(s *scope, e *ast.Cond) model.Expr {
	return c.Choose(e, c.expr(s, e.If), c.expr(s, e.Then), c.expr(s, e.Else))
}
