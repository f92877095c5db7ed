package lint

import (
	"fmt"
	"slices"

	"ppl/compiler/frontend/model"
	"ppl/compiler/frontend/scope"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/stdlib"
)

// A call on the left-hand side defines a function or a template. Users of other languages may write one to transform an
// unknown, as in Stan's `log(s) ~ normal(5, 1)`. Taken as an unused template, it would lose the prior:
//
//	log(s) ~ Normal(5, 1)    a template `log` with an argument `s`, which hides the library's log
//
// A function on the left-hand side is therefore an error if its arguments are quantities of the model, and it either
// hides a library function or is never used.

// Quantities returns the names that a file's statements declare, define or draw.
func Quantities(stmts []ast.Stmt) map[string]bool {
	names := scope.Declared(stmts)
	for _, st := range stmts {
		for _, h := range scope.HeadsOf(st) {
			if !h.HasParams {
				names[h.Path[0].Name] = true
			}
		}
	}
	return names
}

// ofQuantities reports whether a left-hand side has arguments and all of them are names of quantities.
func ofQuantities(h *ast.Head, quantities map[string]bool) bool {
	return len(h.Params) > 0 && !slices.ContainsFunc(h.Params, func(p *ast.Param) bool {
		return p.Name == nil || !quantities[p.Name.Name]
	})
}

// inLibrary reports whether the library has a function with this name. library is the scope of the library's functions
// that are written in the language.
func inLibrary(name string, library *scope.Scope) bool {
	e := library.Names[name]
	return stdlib.Funcs()[name] != nil || stdlib.Reductions()[name] != nil || stdlib.Scans()[name] != nil ||
		stdlib.MatrixFuncs()[name] != nil || isRule(name) || e != nil && e.Fn != nil
}

// isRule reports whether a function has its own rules for types and axes.
func isRule(name string) bool {
	return name != "Density" && slices.ContainsFunc(stdlib.Rules(), func(r stdlib.Rule) bool { return r.Name == name })
}

// RefuseLeftCall reports an error and returns true for a left-hand side that calls a library function with quantities
// of the model as arguments.
func RefuseLeftCall(h *ast.Head, st ast.Stmt, quantities map[string]bool, global *scope.Scope, diags *diag.List) bool {
	if !ofQuantities(h, quantities) || !inLibrary(h.Path[0].Name, global.Parent) {
		return false
	}
	leftCall(h, st, diags)
	return true
}

// LeftCallOf returns a function that hides a library function and whose first argument has the given name, or nil.
func LeftCallOf(name string, global *scope.Scope) *scope.Entity {
	for _, e := range global.Order {
		if e.Fn == nil || !inLibrary(e.Name, global.Parent) || len(e.Fn.Head.Params) == 0 {
			continue
		}
		if p := e.Fn.Head.Params[0]; p.Name != nil && p.Name.Name == name {
			return e
		}
	}
	return nil
}

// leftCall reports an error for a call on the left-hand side, because it does not define or draw its argument, and
// advises what to write instead.
func leftCall(h *ast.Head, st ast.Stmt, diags *diag.List) {
	sign, word := "=", "function"
	if _, drawn := st.(*ast.Draw); drawn {
		sign, word = "~", "template"
	}
	diags.Errorf(diag.CallOnLeft, h.Span(), "`%s` on the left of `%s` defines a %s `%s`, but does not describe `%s`",
		h.Span().Text(), sign, word, h.Path[0].Name, h.Params[0].Name.Name).Help("%s", LeftCallAdvice(h, st))
}

// LeftCallAdvice returns advice for a library function on the left-hand side.
func LeftCallAdvice(h *ast.Head, st ast.Stmt) string {
	if draw, ok := st.(*ast.Draw); ok {
		return drawAdvice(h, draw)
	}
	name, arg := h.Path[0].Name, h.Params[0].Name.Name
	if len(h.Params[0].Sets) > 0 {
		arg += "[i in …]"
	}
	value := "…"
	if inverse, def := inverses[name], st.(*ast.Define); inverse != "" && def.Value != nil {
		value = inverse + "(" + def.Value.Span().Text() + ")"
	}
	return fmt.Sprintf("define `%s` itself: `%s = %s`", h.Params[0].Name.Name, arg, value)
}

// drawAdvice returns advice for a distribution of a library function, such as log(s) ~ Normal(0, 1).
func drawAdvice(h *ast.Head, draw *ast.Draw) string {
	name, arg := h.Path[0].Name, h.Params[0].Name.Name
	dist, args := "…", "…"
	if draw.Dist != nil {
		dist = draw.Dist.Span().Text()
		if call, ok := draw.Dist.Base.(*ast.Call); ok && len(call.Args) > 0 {
			args = call.Args[0].Span().Text()
			for _, a := range call.Args[1:] {
				args += ", " + a.Span().Text()
			}
		}
	}
	normal := draw.Dist != nil && scope.DistName(draw.Dist.Base) != nil &&
		scope.DistName(draw.Dist.Base).Name == "Normal"
	switch {
	case normal && name == "log":
		return fmt.Sprintf("write the distribution of `%s` itself: `%s ~ LogNormal(%s)`", arg, arg, args)
	case normal && name == "logit":
		return fmt.Sprintf("write the distribution of `%s` itself: `%s ~ LogitNormal(%s)`", arg, arg, args)
	case stdlib.Reductions()[name] != nil:
		return fmt.Sprintf("for elements that sum to 0 write `%s ~ … zerosum`; for a soft constraint, `zero = 0` and "+
			"`zero ~ Normal(%s, …)`", arg, h.Span().Text())
	case inverses[name] != "":
		return fmt.Sprintf("draw the transformed quantity and transform it back: `%s_%s ~ %s`, and `%s = %s(%s_%s)`",
			name, arg, dist, arg, inverses[name], name, arg)
	}
	return fmt.Sprintf("give `%s` a distribution, or write its log density: `%s ~ Density(…)`", arg, arg)
}

// inverses maps functions that users write on the left-hand side to their inverses.
var inverses = map[string]string{"log": "exp", "exp": "log", "logit": "sigmoid", "sigmoid": "logit", "sqrt": "square",
	"log1p": "expm1", "expm1": "log1p", "tanh": "atanh", "atanh": "tanh", "probit": "Phi", "Phi": "probit"}

// WarnUnusedFunctions warns about functions and templates that are never used, whose bodies are not checked, and about
// those that hide library functions. An unused one whose arguments are quantities is an error.
func WarnUnusedFunctions(m *model.Model, global *scope.Scope, quantities map[string]bool, diags *diag.List) {
	for _, e := range global.Order {
		if e.Fn == nil {
			continue
		}
		word, st := "function", e.Fn.Statement()
		if e.Fn.Draw != nil {
			word = "template"
		}
		switch {
		case !e.Used && ofQuantities(e.Fn.Head, quantities):
			leftCall(e.Fn.Head, st, diags)
		case !e.Used && len(m.Terms) == 0: // a file for import
		case !e.Used:
			d := diags.Warnf(diag.UnusedFunction, e.At, "%s `%s` is never used, and its body is not checked", word,
				e.Name)
			if h := e.Fn.Head; inLibrary(e.Name, global.Parent) && len(h.Params) > 0 && h.Params[0].Name != nil {
				d.Help("%s", LeftCallAdvice(h, st))
			} else {
				d.Help("call it, `%s(…)`, or leave it out", e.Name)
			}
		case inLibrary(e.Name, global.Parent):
			diags.Warnf(diag.UnusedFunction, e.At, "%s `%s` hides the function of the library: every `%s(…)` in this "+
				"file means this %s", word, e.Name, e.Name, word).
				Help("rename it if you also need the function of the library")
		}
	}
}
