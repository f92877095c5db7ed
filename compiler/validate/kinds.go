package validate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"ppl/autodiff"
	"ppl/compiler/density"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/density/marginalize"
	"ppl/compiler/frontend/model"
	"ppl/compiler/predict/simulate"
	"ppl/lang/diag"
	"ppl/lang/types"
)

// CheckKinds reports an error for arguments that are not a simplex, a covariance or correlation matrix, or a Cholesky
// factor as required. It evaluates them at one random point. An argument that fails there is invalid as a function of
// the parameters; one that has the required form by construction has it everywhere, up to rounding.
func CheckKinds(l *density.Layout, e *evaluate.Evaluator) {
	var theta map[string][]float64
	for _, t := range l.Data.Model.Terms {
		if t.Kind == model.Generate || t.Dist == nil {
			continue
		}
		for k, x := range t.Args {
			check := kindChecks[t.Form.Args[k].Domain.Kind]
			if check == nil || certain(x, t.Form.Args[k].Domain.Kind) {
				continue
			}
			if theta == nil {
				// Only now are the arguments evaluated.
				g := simulate.ReportingNumbers(l, marginalize.Over(simulate.Inputs{}), e.Diags)
				theta = map[string][]float64{"theta": g.Point(rand.New(rand.NewPCG(0x51de, 0)))}
			}
			leave := e.UnderRanges(t.Plates)
			v := e.Expr(x)
			if values, counts, ok := e.CountedAt(theta, v); ok {
				eachInstance(e, t, k, v, values, counts, check)
			}
			leave()
		}
	}
}

// An instance is one vector or matrix of an argument, at one combination of plates.
type instance struct {
	t      *model.Term
	name   string // name of the argument
	x      model.Expr
	values []float64
	n      int // size of the last axis
}

// kindChecks maps a kind to the function that reports an error for values not of this kind.
var kindChecks = map[types.Kind]func(e *evaluate.Evaluator, a instance){
	types.Simplex:     checkSimplex,
	types.Covariance:  checkSymmetric,
	types.Correlation: checkCorrelation,
	types.CholeskyCov: checkFactor,
}

func eachInstance(e *evaluate.Evaluator, t *model.Term, k int, v evaluate.Value, values, counts []float64,
	check func(*evaluate.Evaluator, instance)) {
	size := evaluate.Product(v.ShapeOfAxes())
	for at := 0; at+size <= len(values) && size > 0; at += size {
		if counts[at] != 0 {
			check(e, instance{t, t.Form.Args[k].Name, t.Args[k], values[at : at+size], v.Node.Shape()[v.Rank()-1]})
		}
	}
}

// certain reports whether the form of an argument guarantees its kind.
func certain(x model.Expr, kind types.Kind) bool {
	switch x := x.(type) {
	case *model.Vector:
		return kind == types.Simplex && x.Name == "softmax"
	case *model.Subscript:
		ref, ok := x.X.(*model.Ref)
		for _, s := range x.Subs {
			ok = ok && s.At != nil
		}
		return ok && len(x.Subs) == len(ref.Type.Axes)-kind.EventRank() && certain(ref, kind)
	case *model.Ref:
		for _, p := range x.Array.Pieces {
			if p.Term == nil || p.Term.Dist == nil || p.Term.Dist.Support != kind &&
				p.Term.Dist.Support != special[kind] {
				return false
			}
		}
		return len(x.Array.Pieces) > 0
	}
	return false
}

// special maps a kind to a narrower one: every correlation matrix is a covariance matrix.
var special = map[types.Kind]types.Kind{
	types.Covariance:  types.Correlation,
	types.CholeskyCov: types.CholeskyCorr,
}

// The tolerances allow for rounding: simplices are often written with few digits, matrices are sums of products.
const (
	simplexSlack = 1e-5
	matrixSlack  = 1e-7
)

func checkSimplex(e *evaluate.Evaluator, a instance) {
	sum, low := 0.0, 0.0
	for _, v := range a.values {
		sum, low = sum+v, math.Min(low, v)
	}
	text := a.x.Info().At.Text()
	switch {
	case low < -simplexSlack:
		help := "logits = " + text
		if a.name == "weights" { // of a mixture
			help = "softmax(" + text + ")"
		}
		e.Stop(e.Diags.Errorf(diag.NotASimplex, a.x.Info().At,
			"the argument of `%s` must be a simplex, but `%s` has an element %.4g",
			a.t.Dist.Name, text, low).
			Help("is `%s` on the log scale? write `%s`", text, help))
	case math.Abs(sum-1) > simplexSlack:
		e.Stop(e.Diags.Errorf(diag.NotASimplex, a.x.Info().At, "the argument of `%s` must be a simplex, but "+
			"`%s` sums to %.4g", a.t.Dist.Name, text, sum).Help("divide by its sum, or write `softmax(…)`"))
	}
}

func checkSymmetric(e *evaluate.Evaluator, a instance) {
	scale := 0.0
	for _, v := range a.values {
		scale = math.Max(scale, math.Abs(v))
	}
	for i := range a.n {
		for j := range i {
			if x, y := a.values[i*a.n+j], a.values[j*a.n+i]; math.Abs(x-y) > matrixSlack*scale {
				d := e.Diags.Errorf(diag.NotACovariance, a.x.Info().At,
					"`%s` of `%s` is not symmetric: element [%d, %d] is %.4g, but [%d, %d] is %.4g",
					a.x.Info().At.Text(), a.t.Dist.Name, j+1, i+1, y, i+1, j+1, x)
				d.Help("%s", symmetricHelp(a))
				e.Stop(d)
			}
		}
	}
	for i := range a.n {
		for j := range i {
			if slices.Equal(a.values[i*a.n:(i+1)*a.n], a.values[j*a.n:(j+1)*a.n]) {
				e.Stop(e.Diags.Errorf(diag.NotACovariance, a.t.At,
					"argument `%s` of `%s` has no inverse: its rows %d and %d are equal", a.name,
					a.t.Dist.Name, j+1, i+1).
					Help("if two values are at the same point, add noise to the diagonal: "+
						"`… + diagonal(s^2, %s)`", a.t.Event[len(a.t.Event)-1].Name))
			}
		}
	}
	if a.x.Info().Static &&
		math.IsNaN(autodiff.Eval(nil,
			autodiff.SumAll(autodiff.Cholesky(e.Graph.Data("matrix", a.values, a.n, a.n))))[0][0]) {
		help := "each element [i, j] off the diagonal must be less than sqrt([i, i] * [j, j]) in absolute value"
		if a.name == "cov" {
			help = "a covariance cannot exceed the product of the two standard deviations; to give them separately, " +
				"write `sd = …, corr = …`"
		}
		e.Stop(e.Diags.Errorf(diag.NotACovariance, a.x.Info().At, "`%s` of `%s` is not positive definite",
			a.x.Info().At.Text(), a.t.Dist.Name).Help("%s", help))
	}
}

// symmetricHelp advises what to write for a matrix that is not symmetric.
func symmetricHelp(a instance) string {
	text := a.x.Info().At.Text()
	switch factored := a.name == "cov" || a.name == "scale"; {
	case isCholesky(a.x) && factored:
		return fmt.Sprintf("it is a Cholesky factor: write `%s(…, chol = %s)`", a.t.Dist.Name, text)
	case isCholesky(a.x):
		return fmt.Sprintf("it is a Cholesky factor: write `%s = %s @ transpose(%s)`", a.name, text, text)
	case factored:
		return fmt.Sprintf("give both the same number; a triangular factor is written `%s(…, chol = …)`", a.t.Dist.Name)
	}
	return "give both the same number"
}

func checkCorrelation(e *evaluate.Evaluator, a instance) {
	for i := range a.n {
		if v := a.values[i*a.n+i]; math.Abs(v-1) > matrixSlack {
			e.Fail(diag.NotACovariance, a.x, "`%s` of `%s` is not a correlation matrix: element [%d, %d] is %.4g",
				a.x.Info().At.Text(), a.t.Dist.Name, i+1, i+1, v)
		}
	}
	checkSymmetric(e, a)
}

// checkFactor reports an error for matrices that are not lower triangular, since elements above the diagonal would be
// ignored, and for data without a positive diagonal.
func checkFactor(e *evaluate.Evaluator, a instance) {
	at, text := a.x.Info().At, a.x.Info().At.Text()
	scale := 0.0
	for _, v := range a.values {
		scale = math.Max(scale, math.Abs(v))
	}
	for i := range a.n {
		for j := range i {
			if v := a.values[j*a.n+i]; math.Abs(v) > matrixSlack*scale {
				e.Stop(e.Diags.Errorf(diag.NotACovariance, at, "`%s` of `%s` must be lower triangular, but element "+
					"[%d, %d] of `%s` is %.4g", a.name, a.t.Dist.Name, j+1, i+1, text, v).Help("%s", factorHelp(a)))
			}
		}
		if v := a.values[i*(a.n+1)]; a.x.Info().Static && !(v > 0) {
			e.Fail(diag.NotACovariance, a.x, "`%s` of `%s` must have a positive diagonal, but element [%d, %d] of "+
				"`%s` is %.4g", a.name, a.t.Dist.Name, i+1, i+1, text, v)
		}
	}
}

// factorHelp advises what to write for a matrix with elements above its diagonal.
func factorHelp(a instance) string {
	text, below, symmetric := a.x.Info().At.Text(), false, true
	for i := range a.n {
		for j := range i {
			low, high := a.values[i*a.n+j], a.values[j*a.n+i]
			below, symmetric = below || low != 0, symmetric && math.Abs(low-high) <= matrixSlack*math.Abs(low)
		}
	}
	switch {
	case !below:
		return fmt.Sprintf("it is an upper triangular factor: write `%s = transpose(%s)`", a.name, text)
	case symmetric:
		return fmt.Sprintf("it is a covariance matrix: write `%s = cholesky(%s)`", a.name, text)
	}
	return "a factor L of the covariance L @ transpose(L) has zeros above its diagonal"
}

// isCholesky reports whether a matrix is drawn as a Cholesky factor.
func isCholesky(x model.Expr) bool {
	ref, ok := x.(*model.Ref)
	if !ok || len(ref.Array.Pieces) == 0 || ref.Array.Pieces[0].Term == nil || ref.Array.Pieces[0].Term.Dist == nil {
		return false
	}
	return strings.Contains(ref.Array.Pieces[0].Term.Dist.Name, "Cholesky")
}
