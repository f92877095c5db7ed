package summary

import "math"

// Worst holds the worst diagnostics of a run's quantities, except constant ones.
type Worst struct {
	// smallest effective sample size (bulk or tail) and largest R-hat; NaN if no quantity has one
	ESS, RHat     float64
	Bulk          float64 // smallest effective sample size in bulk
	ESSOf, RHatOf string  // names of the quantities with these values
	// Without is the first quantity whose R-hat or effective sample size is undefined, for example because of draws
	// that are not finite; empty if there is none.
	Without string
}

// Worst returns the worst diagnostics of the report's parameters.
func (r Report) Worst() Worst {
	w := Worst{ESS: math.NaN(), Bulk: math.NaN(), RHat: math.NaN()}
	if p, n := LeastESS(r.Parameters, BulkESS); p.Name != "" {
		w.Bulk = n
	}
	if p, n := LeastESS(r.Parameters, EitherESS); p.Name != "" {
		w.ESS, w.ESSOf = n, p.Name
	}
	for _, p := range r.Parameters {
		switch {
		case p.Constant:
		case math.IsNaN(p.RHat) || math.IsNaN(EitherESS(p)):
			if w.Without == "" {
				w.Without = p.Name
			}
		case !(p.RHat <= w.RHat):
			w.RHat, w.RHatOf = p.RHat, p.Name
		}
	}
	return w
}

// LeastESS returns the parameter with the smallest effective sample size of a kind, and that size. It skips parameters
// without one, such as constants; if none is left, the size is +∞.
func LeastESS(all []Parameter, ess func(Parameter) float64) (p Parameter, n float64) {
	n = math.Inf(1)
	for _, q := range all {
		if e := ess(q); e < n {
			p, n = q, e
		}
	}
	return p, n
}

// EitherESS returns the smaller of the bulk and tail effective sample sizes. An indicator that is nearly always the
// same has no tail size, since both quantiles equal that value; its bulk size is used.
func EitherESS(p Parameter) float64 {
	if math.IsNaN(p.ESSTail) {
		return p.ESSBulk
	}
	return min(p.ESSBulk, p.ESSTail)
}

func BulkESS(p Parameter) float64 { return p.ESSBulk }
