package advice

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ppl/compiler/frontend/lint"
	"ppl/compiler/frontend/model"
	"ppl/compiler/frontend/scope"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/stdlib"
)

// Hints holds the input of advice: the names of a model, the sizes given by data, and the model as far as it is built.
type Hints struct {
	Global *scope.Scope
	Sizes  map[string]*model.Size
	Model  *model.Model
}

// Undefined adds advice to the diagnostic of an undefined name e, which an expression in scope s reads.
func (h Hints) Undefined(d diag.Entry, s *scope.Scope, e *ast.Name) {
	if f := lint.LeftCallOf(e.Name, h.Global); f != nil {
		d.Related(f.At, "this defines `%s`, not `%s`", f.Name, e.Name)
		d.Help("%s", lint.LeftCallAdvice(f.Fn.Head, f.Fn.Statement()))
	} else if code, foreign := stdlib.Foreign(e.Name); foreign && !strings.ContainsAny(code, "([") {
		Meant(d, e.Name, stdlib.Foreign, nil)
	} else if e.Span().File == h.Model.Source { // a name in an imported file cannot be a parameter
		h.missingParameter(d, s, e)
	} else if isSubscript(e) && !indexShaped(e.Name) {
		d.Help("a label is written in quotes: `%q`", e.Name).Replace(strconv.Quote(e.Name))
	} else if near, ok := diag.Nearest(e.Name, h.visible(s)); ok {
		d.Meant("`%s`", near).Replace(near)
	}
}

// missingParameter advises how to declare an undefined name as a parameter, and which existing name may be meant. It
// does not suggest library functions: a name similar to one, such as `sigma` to `sign`, is usually an undeclared
// parameter.
func (h Hints) missingParameter(d diag.Entry, s *scope.Scope, e *ast.Name) {
	if slices.Contains(otherModules, e.Name) {
		d.Help("functions are written without a prefix, `exp(x)`; a matrix product is `X @ b`")
		return
	}
	if set := indexElsewhere(e); set != "" {
		d.Help("`%s` is an index of other statements: declare it on the left of this statement too, `…[%s in %s]`; a "+
			"draw after inference begins with `generate`", e.Name, e.Name, set)
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
	if near, ok := diag.Nearest(e.Name, h.defined(s)); ok {
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

// indexElsewhere returns the set of an index that has this name in other statements of the file, or "".
func indexElsewhere(e *ast.Name) string {
	text := e.Span().File.Text
	// This test avoids the regular expression, which is slow on a long text, if no occurrence of the name precedes
	// `in`.
	for rest := text; !strings.HasPrefix(strings.TrimSpace(rest), "in"); {
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

// indexShaped reports whether a name is one lower-case letter, like most indices.
func indexShaped(name string) bool { return len(name) == 1 && name >= "a" && name <= "z" }

// isSubscript reports whether a name is a complete subscript, like j in x[i, j].
func isSubscript(e *ast.Name) bool {
	text, span := e.Span().File.Text, e.Span()
	before, after := strings.TrimSpace(text[:span.Start]), strings.TrimSpace(text[span.End:])
	open := strings.LastIndexAny(before, "[]()")
	return (strings.HasSuffix(before, "[") || strings.HasSuffix(before, ",") && before[open] == '[') &&
		(strings.HasPrefix(after, "]") || strings.HasPrefix(after, ","))
}

// indicesOf returns the names of the indices in scope, in backquotes and sorted.
func indicesOf(s *scope.Scope) (names []string) {
	for ; s != nil; s = s.Parent {
		for _, e := range s.Order {
			if e.Index != nil {
				names = append(names, "`"+e.Name+"`")
			}
		}
	}
	return slices.Sorted(slices.Values(names))
}

// withAxes returns an undefined name with the set of the index with which it is subscripted, such as z[J] for z[j];
// otherwise the name alone.
func withAxes(s *scope.Scope, e *ast.Name) string {
	span := e.Span()
	rest := span.File.Text[span.End:]
	if !strings.HasPrefix(rest, "[") {
		return e.Name
	}
	name, _, _ := strings.Cut(rest[1:], "]")
	if i := s.Lookup(name); i != nil && i.Index != nil {
		return e.Name + "[" + i.Index.Set.Name + "]"
	}
	return e.Name
}

// otherModules lists modules of Python libraries whose functions have no prefix in this language.
var otherModules = []string{"np", "numpy", "jnp", "math", "pt", "pm", "tf", "torch", "scipy", "special"}

// firstPrior returns a prior to suggest for a name: a positive one for names of scales.
func firstPrior(name string) string {
	for _, scale := range []string{"sigma", "tau", "sd", "scale", "omega"} {
		if strings.HasPrefix(strings.ToLower(name), scale) {
			return "HalfNormal(1)"
		}
	}
	return "Normal(0, 1)"
}

// Meant adds a suggestion to the diagnostic of an unknown name: the equivalent of a name of another language, given by
// foreign, or else the most similar of the names in among. It adds nothing if there is neither.
func Meant(d diag.Entry, name string, foreign func(name string) (code string, ok bool), among []string) {
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

// visible returns the names that an expression in scope s may read, including functions.
func (h Hints) visible(s *scope.Scope) (names []string) {
	names = h.defined(s)
	for n := range stdlib.Funcs() {
		names = append(names, n)
	}
	for n := range h.Global.Parent.Names { // the prelude
		names = append(names, n)
	}
	return slices.Sorted(slices.Values(names))
}

// defined returns the names that the model defines in scope s and the scopes around it, including sizes.
func (h Hints) defined(s *scope.Scope) (names []string) {
	for ; s != nil && s != h.Global.Parent; s = s.Parent {
		for n := range s.Names {
			names = append(names, n)
		}
	}
	for n := range h.Sizes {
		names = append(names, n)
	}
	return slices.Sorted(slices.Values(names))
}
