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

// A call on the left defines a function or a template. Users of other languages write one to transform an unknown,
// as in Stan's `log(s) ~ normal(5, 1)`; taken as a template it would be used nowhere, and the prior would be lost:
//
//	log(s) ~ Normal(5, 1)    a template `log` with an argument `s`, which hides the library's log
//
// So what hides a function of the library, or is used nowhere, and has quantities of the model for arguments, is
// refused.

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

// ofQuantities reports whether all arguments on the left have names of quantities, and there is one at least.
func ofQuantities(h *ast.Head, quantities map[string]bool) bool {
	return len(h.Params) > 0 && !slices.ContainsFunc(h.Params, func(p *ast.Param) bool {
		return p.Name == nil || !quantities[p.Name.Name]
	})
}

// inLibrary reports whether the library, the scope outside of a file's, has a function of a name.
func inLibrary(name string, library *scope.Scope) bool {
	e := library.Names[name]
	return stdlib.Funcs()[name] != nil || stdlib.Reductions()[name] != nil || stdlib.Scans()[name] != nil ||
		stdlib.MatrixFuncs()[name] != nil || isRule(name) || e != nil && e.Fn != nil
}

// isRule reports whether a function has separate rules for types and axes.
func isRule(name string) bool {
	return name != "Density" && slices.ContainsFunc(stdlib.Rules(), func(r stdlib.Rule) bool { return r.Name == name })
}

// RefuseLeftCall reports an error for a function of quantities on the left, if the library has a function of its name.
func RefuseLeftCall(h *ast.Head, st ast.Stmt, quantities map[string]bool, global *scope.Scope, diags *diag.List) bool {
	if !ofQuantities(h, quantities) || !inLibrary(h.Path[0].Name, global.Parent) {
		return false
	}
	leftCall(h, st, diags)
	return true
}

// LeftCallOf returns a function that hides one of the library and has an argument of a name.
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

// leftCall reports that a function of quantities on the left says nothing of them, and what to write.
func leftCall(h *ast.Head, st ast.Stmt, diags *diag.List) {
	sign, word := "=", "function"
	if _, drawn := st.(*ast.Draw); drawn {
		sign, word = "~", "template"
	}
	diags.Errorf(diag.CallOnLeft, h.Span(), "`%s` on the left of `%s` defines a %s `%s`, and says nothing of `%s`",
		h.Span().Text(), sign, word, h.Path[0].Name, h.Params[0].Name.Name).Help("%s", MendLeft(h, st))
}

// MendLeft returns what to write instead of a function of the library on the left.
func MendLeft(h *ast.Head, st ast.Stmt) string {
	if draw, ok := st.(*ast.Draw); ok {
		return mendDraw(h, draw)
	}
	name, arg := h.Path[0].Name, h.Params[0].Name.Name
	if len(h.Params[0].Sets) > 0 {
		arg += "[i in …]"
	}
	value := "…"
	if inverse, def := inverses[name], st.(*ast.Define); inverse != "" && def.Value != nil {
		value = inverse + "(" + def.Value.Span().Text() + ")"
	}
	return fmt.Sprintf("write what `%s` is: `%s = %s`", h.Params[0].Name.Name, arg, value)
}

// mendDraw returns what to write instead of a distribution of a function.
func mendDraw(h *ast.Head, draw *ast.Draw) string {
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
		return fmt.Sprintf("draw the transformed quantity under a name of its own: `%s_%s ~ %s`, and `%s = %s(%s_%s)`",
			name, arg, dist, arg, inverses[name], name, arg)
	}
	return fmt.Sprintf("give `%s` a distribution, or write its log density: `%s ~ Density(…)`", arg, arg)
}

// inverses of functions that are written on the left.
var inverses = map[string]string{"log": "exp", "exp": "log", "logit": "sigmoid", "sigmoid": "logit", "sqrt": "square",
	"log1p": "expm1", "expm1": "log1p", "tanh": "atanh", "atanh": "tanh", "probit": "Phi", "Phi": "probit"}

// WarnUnusedFunctions warns of functions and templates that nothing uses, whose bodies are not checked, and of those
// that hide the library's.
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
		case !e.Used && len(m.Terms) == 0: // a file that others import
		case !e.Used:
			d := diags.Warnf(diag.UnusedFunction, e.At, "%s `%s` is never used, and its body is not checked", word,
				e.Name)
			if h := e.Fn.Head; inLibrary(e.Name, global.Parent) && len(h.Params) > 0 && h.Params[0].Name != nil {
				d.Help("%s", MendLeft(h, st))
			} else {
				d.Help("call it, `%s(…)`, or leave it out", e.Name)
			}
		case inLibrary(e.Name, global.Parent):
			diags.Warnf(diag.UnusedFunction, e.At, "%s `%s` hides the library's: every `%s(…)` of this file means "+
				"this one", word, e.Name, e.Name).Help("rename this function if you also need the library's")
		}
	}
}
