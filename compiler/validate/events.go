package validate

import (
	"fmt"
	"math"

	"ppl/autodiff"
	"ppl/compiler/density"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
	"ppl/lang/types"
)

// observableEvent reports an error for observed vectors and matrices outside the support of their distribution:
// proportions that do not sum to 1, matrices that are not symmetric, counts whose total differs from that of their
// distribution.
func observableEvent(e *evaluate.Evaluator, t *model.Term) {
	if t.Dist.Event == 0 || t.Dist.Event > 2 || !t.Value.Info().Static {
		return
	}
	x := density.TermValue(e, t).Node
	shape := x.Shape()
	if len(shape) < t.Dist.Event {
		return
	}
	size := 1
	for _, n := range shape[len(shape)-t.Dist.Event:] {
		size *= n
	}
	values := autodiff.Eval(nil, x)[0]
	totals := totalsOf(e, t, len(values), size)
	for at := 0; size > 0 && at < len(values); at += size {
		v := values[at : at+size]
		why := eventFault(t.Dist.Support, v)
		if why == "" && totals != nil && sum(v) != totals(at/size) {
			why = fmt.Sprintf("sums to %g, but the total in its distribution is %g", sum(v), totals(at/size))
		}
		if why == "" {
			continue
		}
		place := ""
		if len(values) > size {
			place = fmt.Sprintf(" in row %d", at/size+1)
		}
		e.Stop(e.Diags.Errorf(diag.ImpossibleValue, t.At, "`%s`%s %s", t.Array.Name, place, why).Related(t.Array.At,
			"the data").Help("%s", eventHelp(t.Dist.Support)))
	}
}

// totalsOf returns a function from the number of an event to its total count, or nil if data do not give the totals.
func totalsOf(e *evaluate.Evaluator, t *model.Term, n, size int) func(i int) float64 {
	if t.Dist.Support != types.IntRange || len(t.Args) == 0 || t.Form.Args[0].Name != "n" || size == 0 ||
		!t.Args[0].Info().Static {
		return nil
	}
	totals := autodiff.Eval(nil, e.Expr(t.Args[0]).Node)[0]
	switch len(totals) {
	case 1:
		return func(int) float64 { return totals[0] }
	case n / size:
		return func(i int) float64 { return totals[i] }
	}
	return nil
}

// roundedShare is the tolerance for each proportion, which allows rounding to two decimals.
const roundedShare = 0.005

// eventFault describes what is wrong with a vector or square matrix of the given kind, or returns "".
func eventFault(kind types.Kind, v []float64) string {
	n := int(math.Round(math.Sqrt(float64(len(v)))))
	switch kind {
	case types.IntRange:
		for k, x := range v {
			if x < 0 || x != math.Trunc(x) {
				return fmt.Sprintf("has %g as element %d, which is not a count", x, k+1)
			}
		}
	case types.Simplex:
		for k, x := range v {
			if x < 0 || x > 1 {
				return fmt.Sprintf("has %g as element %d, which is not between 0 and 1", x, k+1)
			}
		}
		if s := sum(v); math.Abs(s-1) > roundedShare*float64(len(v)) {
			return fmt.Sprintf("sums to %.4g, not to 1", s)
		}
	case types.UnitVector:
		norm := 0.0
		for _, x := range v {
			norm += x * x
		}
		if math.Abs(math.Sqrt(norm)-1) > roundedShare {
			return fmt.Sprintf("has length %.4g, not 1", math.Sqrt(norm))
		}
	case types.Covariance, types.Correlation:
		return matrixFault(v, n, kind == types.Correlation)
	case types.CholeskyCov, types.CholeskyCorr:
		return factorFault(v, n, kind == types.CholeskyCorr)
	}
	return ""
}

func sum(v []float64) (s float64) {
	for _, x := range v {
		s += x
	}
	return s
}

// matrixFault describes why n × n numbers are not a covariance matrix or, if unit is set, not a correlation matrix.
func matrixFault(v []float64, n int, unit bool) string {
	for i := range n {
		if unit && math.Abs(v[i*n+i]-1) > roundedShare {
			return fmt.Sprintf("has %g on the diagonal, and correlations have 1 there", v[i*n+i])
		}
		for j := range i {
			a, b := v[i*n+j], v[j*n+i]
			if math.Abs(a-b) > 1e-6*math.Max(math.Abs(a), math.Abs(b)) {
				return fmt.Sprintf("is not symmetric: element [%d, %d] is %g, but [%d, %d] is %g", i+1, j+1, a, j+1,
					i+1, b)
			}
		}
	}
	l := make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			s := v[i*n+j]
			for k := range j {
				s -= l[i*n+k] * l[j*n+k]
			}
			switch {
			case i == j && !(s > 0):
				return "is not positive definite"
			case i == j:
				l[i*n+i] = math.Sqrt(s)
			default:
				l[i*n+j] = s / l[j*n+j]
			}
		}
	}
	return ""
}

// factorFault describes why n × n numbers are not the Cholesky factor of a covariance or (unit) correlation matrix.
func factorFault(v []float64, n int, unit bool) string {
	for i := range n {
		norm := 0.0
		for j := range n {
			if x := v[i*n+j]; j > i && x != 0 {
				return fmt.Sprintf("has %g as element [%d, %d], above the diagonal of a lower triangular matrix", x,
					i+1, j+1)
			}
			norm += v[i*n+j] * v[i*n+j]
		}
		switch {
		case !(v[i*n+i] > 0):
			return fmt.Sprintf("has %g on the diagonal, which must be positive", v[i*n+i])
		case unit && math.Abs(norm-1) > roundedShare:
			return fmt.Sprintf("has length %.4g in row %d, and the factor of correlations has 1", math.Sqrt(norm), i+1)
		}
	}
	return ""
}

func eventHelp(kind types.Kind) string {
	switch kind {
	case types.Simplex:
		return "correct the data; if all rows are parts of a whole, divide each by its sum"
	case types.UnitVector:
		return "directions have length 1: divide each vector by its length"
	case types.Correlation:
		return "a covariance C has the correlations C[i, j] / sqrt(C[i, i] * C[j, j])"
	case types.IntRange:
		return "correct the counts, or the total in the distribution"
	}
	return "correct the data"
}
