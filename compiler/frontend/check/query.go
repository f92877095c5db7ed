package check

import (
	"ppl/compiler/frontend/analyze"
	"ppl/compiler/frontend/flatten"
	"ppl/compiler/frontend/model"
	"ppl/compiler/frontend/typing"
	"ppl/lang/ast"
	"ppl/lang/diag"
)

// Queries elaborates expressions together with a file's statements, and returns the model, the expressions, and
// diagnostics. The expressions may read every name of the file, including names that are computed after inference.
// Queries omits most analyses and warnings of File.
func Queries(f *ast.File, load Loader, xs []ast.Expr) (*model.Model, []model.Expr, []diag.Diagnostic) {
	c := newChecker(f, load)
	c.elaborate(c.global)
	exprs := make([]model.Expr, len(xs))
	for i, x := range xs {
		exprs[i] = c.expr(c.global, x)
	}
	c.equations.Join()
	typing.SettleAll(c.Model, exprs...)
	flatten.Arrays(c.Model, &c.Diags, c.NewIndex, exprs...)
	c.optionalData()
	analyze.Recurrences(c.Model, &c.Diags, nil)
	return c.Model, exprs, c.Diags.All()
}
