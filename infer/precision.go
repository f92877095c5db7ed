package infer

import "ppl/autodiff"

// InPrecision returns a target whose density and gradient are computed with this many bits: 32, or 64 (also 0), for
// which it returns t itself. With 32 bits the unconstrained coordinates are rounded first. The results log ρ and log ℓ
// are summed in double precision. Positions, momenta, energies and the saved values of draws remain double, as do
// solutions of differential equations, matrix factorisations, cumulative sums, and everything computed from them.
func InPrecision(t Target, bits int) Target {
	if bits != 32 {
		return t
	}
	switch s := t.(type) {
	case Streamed:
		return singleStreams{s}
	case Splittable:
		return singleRows{s}
	}
	return single{t}
}

// single is a target whose density is computed in single precision.
type single struct{ Target }

func (s single) Density(theta autodiff.Node) (logPrior, logLik autodiff.Node) {
	return densityInSingle(s.Target, theta)
}

func densityInSingle(t Target, theta autodiff.Node) (logPrior, logLik autodiff.Node) {
	logPrior, logLik = t.Density(autodiff.Single(theta))
	return autodiff.Double(logPrior), autodiff.Double(logLik)
}

// singleRows is single for a Splittable target.
type singleRows struct{ Splittable }

func (s singleRows) Density(theta autodiff.Node) (logPrior, logLik autodiff.Node) {
	return densityInSingle(s.Splittable, theta)
}

func (s singleRows) Split(theta, rows autodiff.Node) (logPrior, whole, terms autodiff.Node) {
	return splitInSingle(s.Splittable, theta, rows)
}

func splitInSingle(t Splittable, theta, rows autodiff.Node) (logPrior, whole, terms autodiff.Node) {
	logPrior, whole, terms = t.Split(autodiff.Single(theta), rows)
	return autodiff.Double(logPrior), autodiff.Double(whole), autodiff.Double(terms)
}

// singleStreams is single for a Streamed target.
type singleStreams struct{ Streamed }

func (s singleStreams) Density(theta autodiff.Node) (logPrior, logLik autodiff.Node) {
	return densityInSingle(s.Streamed, theta)
}

func (s singleStreams) Split(theta, rows autodiff.Node) (logPrior, whole, terms autodiff.Node) {
	return splitInSingle(s.Streamed, theta, rows)
}
