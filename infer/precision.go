package infer

import "ppl/autodiff"

// InPrecision is a target whose density, and so its gradient, is computed with so many bits: 32, or 64 (also 0) for the target itself.
// The unconstrained coordinates are rounded on the way in. What comes out, log ρ and log ℓ, is summed in double precision; samplers keep
// positions, momenta and energies in it, and what is saved of a draw is computed in it. Solutions of differential equations,
// factorisations of matrices, cumulative sums, and all that is made of them stay double as well.
func InPrecision(t Target, bits int) Target {
	if bits != 32 {
		return t
	}
	if s, ok := t.(Splittable); ok {
		return singleRows{single{t}, s}
	}
	return single{t}
}

// A single is a target in single precision.
type single struct{ Target }

func (s single) Density(theta autodiff.Node) (logPrior, logLik autodiff.Node) {
	logPrior, logLik = s.Target.Density(autodiff.Single(theta))
	return autodiff.Double(logPrior), autodiff.Double(logLik)
}

// singleRows is one with rows.
type singleRows struct {
	single
	rows Splittable
}

func (s singleRows) Rows() (int, error) { return s.rows.Rows() }

func (s singleRows) Split(theta, rows autodiff.Node) (logPrior, whole, terms autodiff.Node) {
	logPrior, whole, terms = s.rows.Split(autodiff.Single(theta), rows)
	return autodiff.Double(logPrior), autodiff.Double(whole), autodiff.Double(terms)
}
