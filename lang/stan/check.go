package stan

import (
	"ppl/lang/diag"
	"ppl/lang/source"
)

// An Info is the result of Check: the type of each expression, and the functions of the program by name.
type Info struct {
	Types     map[Expr]Type
	Functions map[string][]*Function // maps a name to its overloaded definitions
}

// A variable is the declaration of a name.
type variable struct {
	typ   Type
	at    source.Span
	block string // name of the block, or "function" or "loop"
	local bool
}

// A checker checks a program in one pass.
type checker struct {
	*Info
	diags  diag.List
	scopes []map[string]*variable
	block  string    // present block
	fun    *Function // present function; nil outside of functions
	loops  int       // number of enclosing loops
	local  bool      // inside of a nested block
}

// Check resolves names and types of a program.
func Check(p *Program) (*Info, []diag.Diagnostic) {
	c := &checker{Info: &Info{Types: map[Expr]Type{}, Functions: map[string][]*Function{}},
		scopes: []map[string]*variable{{}}}
	c.functions(p.Functions)
	for _, b := range []struct {
		name  string
		stmts []Stmt
	}{{"data", p.Data}, {"transformed data", p.TransformedData}, {"parameters", p.Parameters},
		{"transformed parameters", p.TransformedParameters}, {"model", p.Model},
		{"generated quantities", p.Generated}} {
		c.block = b.name
		if b.name == "model" { // its variables go out of scope at the end of the block
			c.open(b.stmts)
			continue
		}
		c.stmts(b.stmts)
	}
	return c.Info, c.diags.All()
}

func (c *checker) functions(all []*Function) {
	c.block = "functions"
	for _, f := range all {
		c.declareFunction(f)
	}
	for _, f := range all {
		if f.Body == nil {
			continue
		}
		c.fun = f
		c.scopes = append(c.scopes, map[string]*variable{})
		for _, p := range f.Params {
			c.declare(p.Name, p.Type, "function")
		}
		c.local = true
		c.stmts(f.Body.Stmts)
		c.local = false
		c.scopes = c.scopes[:len(c.scopes)-1]
		if f.Result.Word != "void" && !returns(f.Body) {
			c.diags.Errorf(diag.MissingReturn, f.Name.At, "the function `%s` may end without a result", f.Name.Name).
				Help("end it with `return`")
		}
		c.fun = nil
	}
}

func (c *checker) declareFunction(f *Function) {
	for _, before := range c.Functions[f.Name.Name] {
		if sameParams(before, f) && before.Body != nil && f.Body != nil {
			c.diags.Errorf(diag.DefinedTwice, f.Name.At, "the function `%s` is defined twice", f.Name.Name).
				Related(before.Name.At, "first here")
			return
		}
	}
	if f.Body != nil {
		c.Functions[f.Name.Name] = append(c.Functions[f.Name.Name], f)
	}
}

func sameParams(f, g *Function) bool {
	if len(f.Params) != len(g.Params) {
		return false
	}
	for i, p := range f.Params {
		if !p.Type.Equal(g.Params[i].Type) {
			return false
		}
	}
	return true
}

// returns reports whether a statement always ends with a return or an error. It assumes that a for loop has at least
// one iteration.
func returns(s Stmt) bool {
	switch s := s.(type) {
	case *Return:
		return true
	case *Message:
		return s.Word != "print"
	case *Block:
		for _, inner := range s.Stmts {
			if returns(inner) {
				return true
			}
		}
	case *If:
		return s.Else != nil && returns(s.Then) && returns(s.Else)
	case *While:
		n, ok := Bare(s.Cond).(*Number)
		return ok && n.Value != 0
	case *For:
		return returns(s.Body)
	}
	return false
}

// open checks the statements of a nested block in a new scope.
func (c *checker) open(stmts []Stmt) {
	before := c.local
	c.local = true
	c.scopes = append(c.scopes, map[string]*variable{})
	c.stmts(stmts)
	c.scopes = c.scopes[:len(c.scopes)-1]
	c.local = before
}

func (c *checker) lookup(name string) *variable {
	for i := len(c.scopes) - 1; i >= 0; i-- {
		if v := c.scopes[i][name]; v != nil {
			return v
		}
	}
	return nil
}

func (c *checker) declare(name Ident, t Type, block string) {
	if v := c.lookup(name.Name); v != nil {
		c.diags.Errorf(diag.DefinedTwice, name.At, "`%s` is declared twice", name.Name).Related(v.at, "first here").
			Help("give one of them another name")
		return
	}
	c.scopes[len(c.scopes)-1][name.Name] = &variable{t, name.At, block, c.local}
}

func (c *checker) stmts(stmts []Stmt) {
	for _, s := range stmts {
		c.stmt(s)
	}
}

func (c *checker) stmt(s Stmt) {
	if _, ok := s.(*Decl); !ok && (c.block == "data" || c.block == "parameters") {
		help := "statements belong to `transformed " + c.block + "`"
		if _, sampled := s.(*Sample); sampled {
			help = "distributions belong to the block `model`"
		}
		c.diags.Errorf(diag.Syntax, s.Span(), "the block `%s` can contain only declarations", c.block).Help("%s", help)
		return
	}
	switch s := s.(type) {
	case *Decl:
		c.decl(s)
	case *Assign:
		c.assign(s)
	case *Sample:
		c.sample(s)
	case *CallStmt:
		if t := c.call(s.Call); t.Known() && t.Word != "void" {
			c.diags.Errorf(diag.Syntax, s.At, "the result of `%s` is not used", s.Call.Fun.Name)
		}
	case *Message:
		for _, a := range s.Args {
			if _, text := a.(*Text); !text {
				c.expr(a)
			}
		}
	case *Block:
		c.open(s.Stmts)
	case *If:
		c.condition(s.Cond)
		c.open([]Stmt{s.Then})
		if s.Else != nil {
			c.open([]Stmt{s.Else})
		}
	case *While:
		c.condition(s.Cond)
		c.loops++
		c.open([]Stmt{s.Body})
		c.loops--
	case *For:
		c.loop(s)
	case *Jump:
		if c.loops == 0 {
			c.diags.Errorf(diag.Syntax, s.At, "`%s` is outside of a loop", s.Word)
		}
	case *Return:
		c.returned(s)
	}
}

func (c *checker) loop(s *For) {
	element := intType
	lo := c.expr(s.Lo)
	switch {
	case s.Hi != nil:
		c.mustBe(s.Lo, lo, intType, "the range of a loop")
		c.mustBe(s.Hi, c.expr(s.Hi), intType, "the range of a loop")
	case lo.Depth > 0:
		element = lo.Element()
	case lo.InnerAxes() > 0:
		element = realType
	case lo.Known():
		wrong := c.diags.Errorf(diag.WrongKind, s.Lo.Span(), "a loop runs over a range or an array, but this is of "+
			"type %s", lo)
		if intType.Takes(lo) {
			wrong.Help("write the range as `1:%s`", s.Lo.Span().Text())
		}
	}
	c.scopes = append(c.scopes, map[string]*variable{})
	c.declare(s.Index, element, "loop")
	c.loops++
	c.open([]Stmt{s.Body})
	c.loops--
	c.scopes = c.scopes[:len(c.scopes)-1]
}

func (c *checker) condition(e Expr) {
	if t := c.expr(e); t.Known() && !t.Scalar() {
		c.diags.Errorf(diag.WrongKind, e.Span(), "a condition is an int or a real, but this is of type %s", t)
	}
}

func (c *checker) returned(s *Return) {
	switch {
	case c.fun == nil:
		c.diags.Errorf(diag.Syntax, s.At, "`return` is outside of a function")
	case s.Value == nil && c.fun.Result.Word != "void":
		c.diags.Errorf(diag.WrongKind, s.At, "`return` needs a value, since `%s` has a result of type %s",
			c.fun.Name.Name, c.fun.Result)
	case s.Value != nil:
		c.mustBe(s.Value, c.expr(s.Value), c.fun.Result, "the result of `"+c.fun.Name.Name+"`")
	}
}

// mustBe reports an error if a value does not have the required type.
func (c *checker) mustBe(e Expr, is, must Type, what string) {
	if !must.Takes(is) {
		c.diags.Errorf(diag.WrongKind, e.Span(), "%s is of type %s, but this is of type %s", what, must, is)
	}
}

// Declarations.

func (c *checker) decl(d *Decl) {
	t := c.sized(d.Type)
	if c.block == "parameters" && t.Word == "int" {
		c.diags.Errorf(diag.WrongKind, d.Name.At, "the parameter `%s` is an int, which Stan cannot sample",
			d.Name.Name).
			Help("sum it out of the log density by log_sum_exp; in a model of ppl, `~ Bernoulli(p)` is summed out")
	}
	c.declare(d.Name, t, c.block)
	if d.Value == nil {
		return
	}
	if c.block == "data" || c.block == "parameters" {
		c.diags.Errorf(diag.Syntax, d.Value.Span(), "a declaration in the block `%s` cannot have a value", c.block).
			Help("values belong to the block `transformed %s`", c.block)
		return
	}
	c.mustBe(d.Value, c.expr(d.Value), t, "`"+d.Name.Name+"`")
}

// dimensions returns the least and greatest number of sizes of a type.
func dimensions(word string) (least, most int) {
	switch {
	case word == "int" || word == "real" || word == "complex" || word == "tuple":
		return 0, 0
	case word == "cholesky_factor_cov":
		return 1, 2
	case word == "corr_matrix" || word == "cov_matrix" || word == "cholesky_factor_corr":
		return 1, 1
	case Type{Word: plainWord(word)}.InnerAxes() == 2:
		return 2, 2
	}
	return 1, 1
}

func (c *checker) sized(t *SizedType) Type {
	for _, e := range append(append([]Expr{}, t.ArrayDims...), t.Dims...) {
		c.mustBe(e, c.expr(e), intType, "a size")
	}
	if least, most := dimensions(t.Word); len(t.Dims) < least || len(t.Dims) > most {
		c.diags.Errorf(diag.AxisCount, t.At, "a `%s` has %s", t.Word, axes(least))
	}
	plain := t.Plain()
	for _, con := range t.Constraints {
		c.constraint(t, con)
	}
	for _, e := range t.Elems {
		c.sized(e)
	}
	return plain
}

func (c *checker) constraint(t *SizedType, con Constraint) {
	is := c.expr(con.Value)
	switch con.Name.Name {
	case "lower", "upper", "offset", "multiplier":
		if t.Word == "int" && is.Known() && is.Word != "int" {
			c.diags.Errorf(diag.WrongKind, con.Value.Span(), "`%s` of an int must be an int, but this is of type %s",
				con.Name.Name, is)
		}
		if is.Known() && (is.Axes() > t.Plain().Axes() || is.Word == "tuple" || is.Word == "function") {
			c.diags.Errorf(diag.WrongKind, con.Value.Span(), "`%s` must be a number or have the type of the "+
				"variable, but this is of type %s", con.Name.Name, is)
		}
		if plainWord(t.Word) != t.Word {
			c.diags.Errorf(diag.Syntax, con.Name.At, "a `%s` has no bounds", t.Word)
		}
	default:
		c.diags.Errorf(diag.Undefined, con.Name.At, "there is no constraint `%s`", con.Name.Name).
			Help("constraints are lower, upper, offset and multiplier")
	}
}

// Assignments and densities.

// root returns the variable on the left side of an assignment, or nil if there is none.
func root(e Expr) *Name {
	for {
		switch x := e.(type) {
		case *Name:
			return x
		case *Index:
			e = x.X
		case *Field:
			e = x.X
		case *Paren:
			e = x.X
		default:
			return nil
		}
	}
}

func (c *checker) assign(s *Assign) {
	if l, ok := s.Left.(*List); ok && l.Open == "(" {
		c.unpack(s, l)
		return
	}
	name := root(s.Left)
	if name == nil {
		c.expr(s.Right)
		c.diags.Errorf(diag.Syntax, s.Left.Span(), "only a variable or its elements can be assigned")
		return
	}
	if name.Name == "target" || name.Name == "jacobian" {
		c.increment(s, name.Name)
		return
	}
	left := c.expr(s.Left)
	right := c.expr(s.Right)
	if s.Op != "=" {
		right = c.infixType(s.Op[:len(s.Op)-1], left, right, s.At)
	}
	c.mustBe(s.Right, right, left, "`"+s.Left.Span().Text()+"`")
	c.assignable(name)
}

// unpack checks an assignment of the elements of a tuple.
func (c *checker) unpack(s *Assign, l *List) {
	right := c.expr(s.Right)
	if right.Known() && (right.Word != "tuple" || len(right.Elems) != len(l.Items)) {
		c.diags.Errorf(diag.WrongKind, s.Right.Span(), "the left side is a tuple of %d elements, but this is "+
			"of type %s", len(l.Items), right)
		return
	}
	for i, item := range l.Items {
		left := c.expr(item)
		if right.Known() {
			c.mustBe(s.Right, right.Elems[i], left, "`"+item.Span().Text()+"`")
		}
		if name := root(item); name != nil {
			c.assignable(name)
		}
	}
}

// increment checks target += e.
func (c *checker) increment(s *Assign, word string) {
	t := c.expr(s.Right)
	if s.Op != "+=" {
		c.diags.Errorf(diag.Syntax, s.At, "`%s` can only be assigned with `+=`", word).Help("write `%s += …`", word)
	}
	if t.Word == "void" || t.Word == "tuple" {
		c.diags.Errorf(diag.WrongKind, s.Right.Span(), "a term of the log density cannot be of type %s", t)
	}
	if word == "target" {
		c.onlyInModel(s.At, "`target +=`")
	}
}

// onlyInModel reports an error if a term of the log density is outside of the model block.
func (c *checker) onlyInModel(at source.Span, what string) {
	if c.block == "model" || c.fun != nil && hasSuffix(c.fun.Name.Name, "_lp", "_jacobian") {
		return
	}
	if c.fun != nil {
		c.diags.Errorf(diag.Syntax, at, "%s is in a function whose name does not end in `_lp`", what).
			Help("rename it to `%s_lp`", c.fun.Name.Name)
		return
	}
	c.diags.Errorf(diag.Syntax, at, "%s is outside of the block `model`", what)
}

// assignable reports an error if a name cannot be assigned, such as the index of a loop.
func (c *checker) assignable(name *Name) {
	v := c.lookup(name.Name)
	switch {
	case v == nil:
	case v.block == "loop":
		c.diags.Errorf(diag.Syntax, name.At, "the index `%s` of a loop cannot be assigned", name.Name)
	case v.block == "function":
		c.diags.Errorf(diag.Syntax, name.At, "the argument `%s` of a function cannot be assigned", name.Name).
			Help("copy it to a local variable, and assign that variable")
	case v.block == c.block && v.block != "data" && v.block != "parameters":
	default:
		c.diags.Errorf(diag.Syntax, name.At, "`%s` belongs to the block `%s`, and cannot be assigned here", name.Name,
			v.block).Related(v.at, "declared here")
	}
}

func (c *checker) sample(s *Sample) {
	c.onlyInModel(s.At, "`~`")
	value := c.expr(s.Left)
	args := c.types(s.Args)
	for _, e := range []Expr{s.Lower, s.Upper} {
		if e != nil {
			c.expr(e)
		}
	}
	name := s.Dist.Name
	for _, suffix := range []string{"_lpdf", "_lpmf", "_log"} {
		if fs := c.Functions[name+suffix]; fs != nil {
			c.userCall(s.Dist.At, fs, append([]Type{value}, args...), append([]Expr{s.Left}, s.Args...))
			return
		}
	}
	d, ok := densities()[name]
	if !ok {
		c.unknownDensity(s.Dist)
		return
	}
	c.densityArgs(s.Dist, d, append([]Type{value}, args...), append([]Expr{s.Left}, s.Args...))
}

func (c *checker) unknownDensity(name Ident) {
	entry := c.diags.Errorf(diag.Undefined, name.At, "there is no distribution `%s`", name.Name)
	if base, ok := cutSuffix(name.Name, "_lpdf", "_lpmf", "_log", "_lupdf", "_lupmf"); ok {
		entry.Help("write `%s`, without the suffix, after `~`", base)
		return
	}
	var names []string
	for d := range densities() {
		names = append(names, d)
	}
	if near := nearest(name.Name, names); near != "" {
		entry.Meant("`%s`", near)
	}
}

func (c *checker) densityArgs(name Ident, d density, types []Type, args []Expr) {
	if len(types) != len(d.args)+1 {
		c.diags.Errorf(diag.Arguments, name.At, "the distribution `%s` takes %s, not %d", name.Name,
			countArgs(len(d.args)), max(0, len(types)-1))
		return
	}
	for i, class := range append([]string{d.value}, d.args...) {
		if !fits(class, types[i]) {
			c.diags.Errorf(diag.WrongKind, args[i].Span(), "%s of `%s` must be %s, but this is of type %s", ordinal(i),
				name.Name, classNames[class], types[i])
			return
		}
	}
}
