package stan

import (
	"fmt"
	"sort"
	"strings"

	"ppl/lang/diag"
	"ppl/lang/source"
)

func (c *checker) types(all []Expr) []Type {
	out := make([]Type, len(all))
	for i, e := range all {
		out[i] = c.expr(e)
	}
	return out
}

// expr determines and records the type of an expression.
func (c *checker) expr(e Expr) Type {
	t := c.typeOf(e)
	c.Types[e] = t
	return t
}

func (c *checker) typeOf(e Expr) Type {
	switch e := e.(type) {
	case *Number:
		switch {
		case e.Imaginary:
			return Type{Word: "complex"}
		case e.IsInt:
			return intType
		}
		return realType
	case *Text:
		c.diags.Errorf(diag.WrongKind, e.At, "a text can only be an argument of print, reject or fatal_error")
	case *Name:
		return c.name(e)
	case *Paren:
		return c.expr(e.X)
	case *Unary:
		return c.unary(e)
	case *Binary:
		return c.infixType(e.Op, c.expr(e.X), c.expr(e.Y), e.At)
	case *Ternary:
		return c.ternary(e)
	case *Call:
		return c.call(e)
	case *Index:
		return c.index(e)
	case *Field:
		return c.field(e)
	case *List:
		return c.list(e)
	}
	return unknown
}

func (c *checker) name(e *Name) Type {
	if v := c.lookup(e.Name); v != nil {
		return v.typ
	}
	if c.Functions[Normalized(e.Name)] != nil { // an argument of a solver or of reduce_sum
		return Type{Word: "function"}
	}
	entry := c.diags.Errorf(diag.Undefined, e.At, "`%s` is not declared", e.Name)
	var names []string
	for _, s := range c.scopes {
		for name := range s {
			names = append(names, name)
		}
	}
	if near := nearest(e.Name, names); near != "" {
		entry.Meant("`%s`", near)
	}
	return unknown
}

// nearest returns the name that is most similar to name, or "" if none is similar.
func nearest(name string, names []string) string {
	sort.Strings(names)
	near, _ := diag.Nearest(name, names)
	return near
}

func (c *checker) unary(e *Unary) Type {
	t := c.expr(e.X)
	switch {
	case !t.Known():
	case e.Op == "!":
		if !t.Scalar() {
			return c.noOperator(e.At, "!", t)
		}
		return intType
	case e.Op == "'":
		switch {
		case t.Equal(vector):
			return rowVector
		case t.Equal(rowVector):
			return vector
		case t.Equal(matrix):
			return matrix
		}
		return c.noOperator(e.At, "'", t)
	case t.Word == "tuple" || t.Word == "void":
		return c.noOperator(e.At, e.Op, t)
	}
	return t
}

func (c *checker) noOperator(at source.Span, op string, types ...Type) Type {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = t.String()
	}
	c.diags.Errorf(diag.WrongKind, at, "`%s` cannot be applied to %s", op, strings.Join(names, " and "))
	return unknown
}

// infixType returns the type of x op y.
func (c *checker) infixType(op string, x, y Type, at source.Span) Type {
	if !x.Known() || !y.Known() {
		return unknown
	}
	if t, ok := infixTypeOf(op, x, y); ok {
		return t
	}
	return c.noOperator(at, op, x, y)
}

func infixTypeOf(op string, x, y Type) (Type, bool) {
	scalars := x.Scalar() && y.Scalar()
	both := realType
	if x.Word == "int" && y.Word == "int" {
		both = intType
	}
	container := func(t Type) bool { return t.Depth == 0 && t.InnerAxes() > 0 }
	isComplex := x.Depth == 0 && y.Depth == 0 && (x.complex() || y.complex())
	switch op {
	case "||", "&&", "==", "!=", "<", "<=", ">", ">=":
		return intType, scalars || isComplex
	case "%", "%/%":
		return intType, scalars && both.Word == "int"
	case "^":
		return realType, scalars
	case "+", "-", ".*", "./", ".^":
		switch {
		case scalars && op != ".*" && op != "./":
			return both, true
		case scalars:
			return both, true
		case container(x) && x.Equal(y):
			return x, true
		case container(x) && y.Scalar():
			return x, op != ".*"
		case x.Scalar() && container(y):
			return y, op != ".*"
		case x.Depth > 0 && x.Depth == y.Depth || x.Depth > 0 && y.Scalar() || x.Scalar() && y.Depth > 0:
			return larger(x, y), op == ".^"
		}
	case "*", "/":
		switch {
		case scalars:
			return both, true
		case container(x) && y.Scalar():
			return x, true
		case x.Scalar() && container(y):
			return y, true
		}
		return product(op, x, y)
	case `\`:
		return y, x.Equal(matrix) && (y.Equal(matrix) || y.Equal(vector))
	}
	if isComplex {
		return Type{Word: "complex"}, true
	}
	return unknown, false
}

// product returns the type of the product of two matrices or vectors, or of a division by a matrix.
func product(op string, x, y Type) (Type, bool) {
	if x.Depth > 0 || y.Depth > 0 {
		return unknown, false
	}
	if op == "/" {
		return x, y.Equal(matrix) && (x.Equal(matrix) || x.Equal(rowVector))
	}
	switch x.Word + " " + y.Word {
	case "matrix matrix", "vector row_vector":
		return matrix, true
	case "matrix vector":
		return vector, true
	case "row_vector matrix":
		return rowVector, true
	case "row_vector vector":
		return realType, true
	}
	return unknown, x.complex() || y.complex()
}

func larger(x, y Type) Type {
	if y.Axes() > x.Axes() {
		return y
	}
	return x
}

func (c *checker) ternary(e *Ternary) Type {
	c.condition(e.If)
	x, y := c.expr(e.Then), c.expr(e.Else)
	switch {
	case x.Takes(y) && x.Known():
		return x
	case y.Takes(x):
		return y
	}
	c.diags.Errorf(diag.BranchAxesDiffer, e.At, "the two values of `? :` must be of one type, but are "+
		"of the types %s and %s", x, y)
	return unknown
}

func (c *checker) index(e *Index) Type {
	t := c.expr(e.X)
	subs := make([]Type, len(e.Subs))
	for i, s := range e.Subs {
		for _, x := range []Expr{s.Lo, s.Hi} {
			if x != nil {
				subs[i] = c.expr(x)
				if s.Range {
					c.mustBe(x, subs[i], intType, "an index")
				}
			}
		}
		if subs[i].Known() && !s.Range && !(subs[i].Word == "int" && subs[i].Depth < 2) {
			c.diags.Errorf(diag.WrongKind, s.At, "an index is of type int or array[] int, but this is of type %s",
				subs[i])
			return unknown
		}
	}
	if !t.Known() {
		return unknown
	}
	if t.Axes() < len(e.Subs) {
		c.diags.Errorf(diag.AxisCount, e.At, "`%s` has %s, and %s", e.X.Span().Text(), axes(t.Axes()),
			map[bool]string{true: "one index is given", false: fmt.Sprintf("%d are", len(e.Subs))}[len(e.Subs) == 1])
		return unknown
	}
	return t.Subscripted(len(subs), func(i int) bool { return e.Subs[i].Range || subs[i].Depth > 0 })
}

func axes(n int) string {
	switch n {
	case 0:
		return "no axes"
	case 1:
		return "one axis"
	}
	return fmt.Sprintf("%d axes", n)
}

// Subscripted returns the type of a value with n subscripts. keeps reports whether subscript i keeps its axis.
func (t Type) Subscripted(n int, keeps func(i int) bool) Type {
	arrays, left := min(t.Depth, n), 0
	for i := range arrays {
		if keeps(i) {
			left++
		}
	}
	out := t
	out.Depth = t.Depth - arrays + left
	inner := n - arrays
	if inner == 0 {
		return out
	}
	switch {
	case t.InnerAxes() == 1:
		if !keeps(arrays) {
			out.Word = "real"
		}
	case inner == 1:
		if !keeps(arrays) {
			out.Word = "row_vector"
		}
	default:
		switch {
		case !keeps(arrays) && !keeps(arrays+1):
			out.Word = "real"
		case !keeps(arrays):
			out.Word = "row_vector"
		case !keeps(arrays + 1):
			out.Word = "vector"
		}
	}
	return out
}

func (c *checker) field(e *Field) Type {
	t := c.expr(e.X)
	switch {
	case !t.Known():
	case t.Word != "tuple" || t.Depth > 0:
		c.diags.Errorf(diag.WrongKind, e.At, "only a tuple has an element `.%d`, but this is of type %s", e.N, t)
	case e.N < 1 || e.N > len(t.Elems):
		c.diags.Errorf(diag.OutOfRange, e.At, "the tuple has %d elements", len(t.Elems))
	default:
		return t.Elems[e.N-1]
	}
	return unknown
}

func (c *checker) list(e *List) Type {
	types := c.types(e.Items)
	switch {
	case e.Open == "(":
		return Type{Word: "tuple", Elems: types}
	case e.Open == "[":
		if len(types) > 0 && types[0].Equal(rowVector) {
			return matrix
		}
		for i, t := range types {
			if t.Known() && !t.Scalar() {
				c.diags.Errorf(diag.WrongKind, e.Items[i].Span(),
					"an element of a row vector is an int or a real, but this is "+
						"of type %s", t)
			}
		}
		return rowVector
	case len(types) == 0:
		return unknown
	}
	common := types[0]
	for i, t := range types {
		switch {
		case common.Takes(t):
		case t.Takes(common):
			common = t
		default:
			c.diags.Errorf(diag.BranchAxesDiffer, e.Items[i].Span(), "the elements of an array must be of one type, "+
				"but are of the types %s and %s", common, t)
			return unknown
		}
	}
	return common.Array(1)
}
