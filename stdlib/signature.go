package stdlib

import (
	"fmt"
	"math"
	"strings"

	"ppl/lang/types"
)

// Signatures returns the ways to write a distribution, one for each form: Normal(mu, sd), Normal(mu, precision = …). An
// argument is named if the first form does not have it at the same position.
func (d *Dist) Signatures() []string {
	var all []string
	for _, f := range d.Forms {
		names := make([]string, len(f.Args))
		for k, a := range f.Args {
			names[k] = a.Name
			if first := d.Forms[0].Args; k >= len(first) || first[k].Name != a.Name {
				names[k] += " = …"
			}
		}
		if len(names) == 0 {
			all = append(all, d.Name)
			continue
		}
		all = append(all, d.Name+"("+strings.Join(names, ", ")+")")
	}
	return all
}

// Signature returns an example call of the function: pow(x, y).
func (f *Func) Signature() string { return f.Name + "(" + strings.Join(f.Args, ", ") + ")" }

// String describes the values that the domain allows.
func (d Domain) String() string {
	switch d.Kind {
	case types.RealLine:
		return "real"
	case types.Interval:
		return intervalText(d.Lo, d.Hi)
	case types.IntRange:
		if d.Lo == 0 && d.Hi == 1 {
			return "0 or 1"
		}
		return strings.TrimSuffix("an integer, "+intervalText(d.Lo, d.Hi), ", real")
	case types.Ordered:
		return "increasing"
	case types.ZeroSum:
		return "of sum 0"
	case types.Simplex:
		return "a simplex"
	case types.Correlation, types.Covariance:
		return "a " + d.Kind.String() + " matrix"
	}
	return "a " + d.Kind.String()
}

// intervalText describes an interval. A lower end of tiny means that the interval is open at 0.
func intervalText(lo, hi float64) string {
	below, above := math.IsInf(lo, -1), math.IsInf(hi, 1)
	switch {
	case below && above:
		return "real"
	case lo == tiny && above:
		return "positive"
	case lo == tiny:
		return fmt.Sprintf("above 0 and at most %.4g", hi)
	case above:
		return fmt.Sprintf("%.4g or more", lo)
	case lo == 0 && hi == 1:
		return "between 0 and 1"
	}
	return fmt.Sprintf("in %.4g..%.4g", lo, hi)
}

// Has reports whether an interval or a range of integers contains v. It is true for all other kinds of domain.
func (d Domain) Has(v float64) bool {
	switch {
	case d.Kind != types.Interval && d.Kind != types.IntRange:
		return true
	case d.Lo == tiny && v <= 0, d.Kind == types.IntRange && v != math.Trunc(v):
		return false
	}
	return (d.Lo == tiny || v >= d.Lo) && v <= d.Hi
}

// SupportText describes the values that a distribution draws.
func (d *Dist) SupportText() string {
	support := Domain{d.Support, d.Lo, d.Hi}.String()
	switch {
	case d.Forms[0].Bounds != nil && d.Discrete():
		support = "an integer between ends that the arguments give"
	case d.Forms[0].Bounds != nil:
		support = "between ends that the arguments give"
	}
	switch d.Event - d.Support.EventRank() {
	case 1:
		support = "a vector, each element " + support
	case 2:
		support = "a matrix, each element " + support
	}
	return support
}
