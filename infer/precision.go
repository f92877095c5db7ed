package infer

import "ppl/autodiff"

// InPrecision returns a target whose density, and so its gradient, is computed with that many bits: 32, or 64 (also 0)
// for the target itself. The unconstrained coordinates are rounded on the way in. What comes out, log ρ and log ℓ, is
// summed in double precision; samplers keep positions, momenta and energies in it, and what is saved of a draw is
// computed in it. Solutions of differential equations, factorisations of matrices, cumulative sums, and all that is
// made of them stay double as well.
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

// A single is a target in single precision.
type single struct{ Target }

func (s single) Density(theta autodiff.Node) (logPrior, logLik autodiff.Node) {
	return densityInSingle(s.Target, theta)
}

func densityInSingle(t Target, theta autodiff.Node) (logPrior, logLik autodiff.Node) {
	logPrior, logLik = t.Density(autodiff.Single(theta))
	return autodiff.Double(logPrior), autodiff.Double(logLik)
}

// A singleRows is one with rows.
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

// A singleStreams is one whose rows may stay in files.
type singleStreams struct{ Streamed }

func (s singleStreams) Density(theta autodiff.Node) (logPrior, logLik autodiff.Node) {
	return densityInSingle(s.Streamed, theta)
}

func (s singleStreams) Split(theta, rows autodiff.Node) (logPrior, whole, terms autodiff.Node) {
	return splitInSingle(s.Streamed, theta, rows)
}
