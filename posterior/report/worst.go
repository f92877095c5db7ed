package report

import "math"

// Worst is how good the draws of a run are by the quantities that are worst off, of all that are not constant.
type Worst struct {
	// the least effective size, bulk or tail, and the greatest R-hat; NaN if no quantity has one
	ESS, RHat     float64
	Bulk          float64 // the least effective size in bulk
	ESSOf, RHatOf string  // which quantity has them
	// the first quantity without one of them, as values that are not finite have none; or empty
	Without string
}

// Worst looks for them.
func (r Report) Worst() Worst {
	w := Worst{ESS: math.NaN(), Bulk: math.NaN(), RHat: math.NaN()}
	if p, n := leastESS(r.Parameters, bulkESS); p.Name != "" {
		w.Bulk = n
	}
	if p, n := leastESS(r.Parameters, eitherESS); p.Name != "" {
		w.ESS, w.ESSOf = n, p.Name
	}
	for _, p := range r.Parameters {
		switch {
		case p.Constant:
		case math.IsNaN(p.RHat) || math.IsNaN(eitherESS(p)):
			if w.Without == "" {
				w.Without = p.Name
			}
		case !(p.RHat <= w.RHat):
			w.RHat, w.RHatOf = p.RHat, p.Name
		}
	}
	return w
}

// leastESS finds the quantity with the least of a kind of effective size, infinite without one. Those that have none,
// such as constant ones, are passed over.
func leastESS(all []Parameter, ess func(Parameter) float64) (p Parameter, n float64) {
	n = math.Inf(1)
	for _, q := range all {
		if e := ess(q); e < n {
			p, n = q, e
		}
	}
	return p, n
}

// eitherESS returns the lesser of the effective sizes in bulk and tails; NaN without one. An indicator that is nearly
// always the same has none in the tails, where both quantiles are that value: it is judged by the one in the bulk.
func eitherESS(p Parameter) float64 {
	if math.IsNaN(p.ESSTail) {
		return p.ESSBulk
	}
	return min(p.ESSBulk, p.ESSTail)
}

func bulkESS(p Parameter) float64 { return p.ESSBulk }
