package stan

import (
	"fmt"
	"slices"
	"strings"

	"ppl/lang/diag"
	"ppl/lang/source"
)

// classNames describes each class of arguments, for messages.
var classNames = map[string]string{"i": "an int", "r": "a real", "v": "a vector", "w": "a row_vector",
	"m": "a matrix", "I": "an int or an array of ints", "R": "a real or a list of reals",
	"c": "a vector or row_vector", "V": "a vector or an array of vectors", "l": "a list of numbers",
	"d": "a vector or a matrix", "n": "a number or several", "a": "a value",
	"[]i": "an array of ints", "f": "the name of a function"}

func ordinal(i int) string {
	if i == 0 {
		return "the value"
	}
	return fmt.Sprintf("argument %d", i)
}

func countArgs(n int) string {
	switch n {
	case 0:
		return "no arguments"
	case 1:
		return "one argument"
	}
	return fmt.Sprintf("%d arguments", n)
}

func hasSuffix(name string, suffixes ...string) bool {
	_, ok := cutSuffix(name, suffixes...)
	return ok
}

// cutSuffix removes the first matching suffix from a name. The result is true if there is one.
func cutSuffix(name string, suffixes ...string) (string, bool) {
	for _, s := range suffixes {
		if base, ok := strings.CutSuffix(name, s); ok && base != "" {
			return base, true
		}
	}
	return name, false
}

// call returns the type of a call of a function of the program or of the library.
func (c *checker) call(e *Call) Type {
	types := c.types(e.Args)
	name := e.Fun.Name
	if hasSuffix(name, "_rng") {
		c.onlyWithRandomness(e)
	}
	if fs := c.functionsCalled(name); fs != nil {
		return c.userCall(e.Fun.At, fs, types, e.Args)
	}
	all, ok := signatures()[name]
	if !ok {
		if t, is := c.densityCall(e, types); is {
			return t
		}
		c.unknownFunction(e.Fun)
		return unknown
	}
	for _, s := range all {
		if t, ok := s.apply(types); ok {
			return t
		}
	}
	c.wrongArguments(e, all, types)
	return unknown
}

// functionsCalled returns the program's functions with a name; foo_lupdf refers to foo_lpdf.
func (c *checker) functionsCalled(name string) []*Function {
	name = Normalized(name)
	return c.Functions[name]
}

// Normalized returns the name of a density function without the mark that constant terms may be dropped: foo_lpdf for
// foo_lupdf.
func Normalized(name string) string {
	if base, ok := strings.CutSuffix(name, "_lupdf"); ok {
		return base + "_lpdf"
	}
	if base, ok := strings.CutSuffix(name, "_lupmf"); ok {
		return base + "_lpmf"
	}
	return name
}

func (c *checker) onlyWithRandomness(e *Call) {
	if c.fun != nil && hasSuffix(c.fun.Name.Name, "_rng") || c.block == "generated quantities" ||
		c.block == "transformed data" {
		return
	}
	if c.fun != nil {
		c.diags.Errorf(diag.Syntax, e.Fun.At, "`%s` draws random numbers, but the name of the function `%s` does not "+
			"end in `_rng`", e.Fun.Name, c.fun.Name.Name).Help("rename the function to `%s_rng`", c.fun.Name.Name)
		return
	}
	c.diags.Errorf(diag.Syntax, e.Fun.At, "`%s` draws random numbers, which the block `%s` cannot do", e.Fun.Name,
		c.block).
		Help("draw in `transformed data` or `generated quantities`")
}

func (c *checker) userCall(at source.Span, fs []*Function, types []Type, args []Expr) Type {
	for _, f := range fs {
		if takes(f, types) {
			return f.Result
		}
	}
	f := fs[0]
	if len(fs) > 1 {
		c.diags.Errorf(diag.Arguments, at, "no function `%s` takes %s", f.Name.Name, typeList(types)).
			Related(f.Name.At, "one of them")
		return f.Result
	}
	if len(f.Params) != len(types) {
		c.diags.Errorf(diag.Arguments, at, "`%s` takes %s, not %d", f.Name.Name, countArgs(len(f.Params)), len(types)).
			Related(f.Name.At, "defined here")
		return f.Result
	}
	for i, p := range f.Params {
		if !p.Type.Takes(types[i]) {
			c.diags.Errorf(diag.WrongKind, args[i].Span(), "the argument `%s` of `%s` must be of type %s, but "+
				"this is of type %s", p.Name.Name, f.Name.Name, p.Type, types[i]).Related(p.Name.At, "declared here")
		}
	}
	return f.Result
}

func takes(f *Function, types []Type) bool {
	if len(f.Params) != len(types) {
		return false
	}
	for i, p := range f.Params {
		if !p.Type.Takes(types[i]) {
			return false
		}
	}
	return true
}

// ofDensity lists the suffixes of functions that belong to a density. Names without an l are old.
var ofDensity = []string{"_lpdf", "_lpmf", "_lupdf", "_lupmf", "_lcdf", "_lccdf", "_cdf_log", "_ccdf_log", "_cdf",
	"_rng", "_log"}

// densityCall returns the type of a call such as normal_lpdf(y | mu, sigma). ok is false for other functions.
func (c *checker) densityCall(e *Call, types []Type) (t Type, ok bool) {
	for _, suffix := range ofDensity {
		base, found := strings.CutSuffix(e.Fun.Name, suffix)
		d, known := densities()[base]
		if !found || !known {
			continue
		}
		if suffix == "_rng" {
			return c.rngCall(e, base, d, types), true
		}
		if hasSuffix(suffix, "_cdf", "_lcdf", "_lccdf", "cdf_log") && !d.cdf {
			c.diags.Errorf(diag.NoCDF, e.Fun.At, "`%s` has no distribution function", base)
			return realType, true
		}
		if (suffix == "_lpdf" || suffix == "_lpmf") && d.counts != (suffix == "_lpmf") {
			right := map[bool]string{true: "_lpmf", false: "_lpdf"}[d.counts]
			c.diags.Errorf(diag.Undefined, e.Fun.At, "there is no function `%s`", e.Fun.Name).Help("write `%s`",
				base+right)
			return realType, true
		}
		c.densityArgs(Ident{e.Fun.Place, base}, d, types, e.Args)
		return realType, true
	}
	return unknown, false
}

// rngCall returns the type of random numbers, of which there is one for each element of the arguments.
func (c *checker) rngCall(e *Call, base string, d density, types []Type) Type {
	if !d.rng {
		c.diags.Errorf(diag.Undefined, e.Fun.At, "there is no function `%s`", e.Fun.Name)
		return unknown
	}
	if len(types) != len(d.args) && base != "lkj_corr" && base != "lkj_corr_cholesky" {
		c.diags.Errorf(diag.Arguments, e.Fun.At, "`%s` takes %s, not %d", e.Fun.Name, countArgs(len(d.args)),
			len(types))
		return unknown
	}
	if slices.ContainsFunc(types, func(t Type) bool { return !t.Known() }) {
		return unknown // the unknown type determines how many numbers there are
	}
	one := realType
	switch {
	case d.counts && d.value == "I":
		one = intType
	case d.value == "[]i":
		return intType.Array(1)
	case d.value == "V":
		for _, t := range types {
			if t.Depth > 0 && t.InnerAxes() == 1 {
				return vector.Array(1)
			}
		}
		return vector
	case d.value == "m":
		return matrix
	}
	if !d.oneResult {
		for _, t := range types {
			if t.Axes() > 0 && !(t.Word == "matrix" && t.Depth == 0) {
				return one.Array(1)
			}
		}
	}
	if strings.HasSuffix(base, "_glm") {
		return one.Array(1)
	}
	return one
}

func (c *checker) unknownFunction(name Ident) {
	entry := c.diags.Errorf(diag.Undefined, name.At, "there is no function `%s`", name.Name)
	var names []string
	for s := range signatures() {
		names = append(names, s)
	}
	for f := range c.Functions {
		names = append(names, f)
	}
	if near := nearest(name.Name, names); near != "" {
		entry.Meant("`%s`", near)
	}
}

func (c *checker) wrongArguments(e *Call, all []signature, types []Type) {
	forms := make([]string, 0, len(all))
	for _, s := range all {
		words := make([]string, len(s.args))
		for i, a := range s.args {
			words[i] = classNames[a]
			if words[i] == "" {
				words[i] = a
			}
		}
		if text := strings.Join(words, ", "); len(forms) == 0 || forms[len(forms)-1] != text {
			forms = append(forms, text)
		}
	}
	c.diags.Errorf(diag.Arguments, e.At, "`%s` does not take %s", e.Fun.Name, typeList(types)).
		Help("it takes %s", strings.Join(forms, "; or "))
}

// typeList describes the arguments of a call by their types.
func typeList(types []Type) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = t.String()
	}
	switch len(names) {
	case 0:
		return "an empty list of arguments"
	case 1:
		return "an argument of type " + names[0]
	}
	return "arguments of the types " + diag.And(names)
}

// apply returns the result type for arguments of the given types. ok is false if they do not fit.
func (s signature) apply(types []Type) (t Type, ok bool) {
	for i, class := range s.args {
		if class == "..." {
			types = types[:i]
			break
		}
		if i >= len(types) || class != "f" && !fits(class, types[i]) {
			return unknown, false
		}
		if class == "f" && types[i].Known() && types[i].Word != "function" {
			return unknown, false
		}
	}
	if n := len(s.args); len(types) > n {
		return unknown, false
	}
	return s.resultOf(types), true
}

func (s signature) resultOf(types []Type) Type {
	switch s.result {
	case "1":
		return types[0]
	case "e":
		return types[0].Element()
	case "map", "imap":
		out := types[0]
		for _, t := range types[1:] {
			out = larger(out, t)
		}
		ints := s.result == "imap"
		for _, t := range types {
			ints = ints && t.Word == "int"
		}
		if out.Word == "int" && !ints {
			out.Word = "real"
		}
		return out
	case "array1", "array2", "array3":
		return types[0].Array(int(s.result[5] - '0'))
	case "a":
		return unknown
	}
	return resultType(s.result)
}

func resultType(word string) Type {
	depth := strings.Count(word, "[]")
	letter := strings.ReplaceAll(word, "[]", "")
	t := map[string]Type{"i": intType, "r": realType, "v": vector, "w": rowVector, "m": matrix}[letter]
	return t.Array(depth)
}
