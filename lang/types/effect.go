package types

// An Effect is a parameter of several elements whose distribution has another parameter for its scale:
//
//	theta[j in J] ~ Normal(mu, tau) noncentered      {"theta", "tau", true}
type Effect struct {
	Name        string `json:"name"`
	Scale       string `json:"scale"` // the parameter that is its scale; empty where that is computed of some
	NonCentered bool   `json:"noncentered"`
}

// An EffectBlock is an effect whose elements a sampler may give one of several coordinates, whichever suits each.
type EffectBlock struct {
	Effect
	First, Size int
	Series      bool // elements read earlier ones, so that all have coordinates of one form
	Vector      bool // elements are correlated, so that all have coordinates of one form
	Curved      bool // it is the location that other parameters bend: the scale is constant
	Normal      bool // elements are normal, with those of all such blocks, given all else: they may be GivenData
	Line        bool // elements have a support or a sum: they are meant by their unconstrained coordinates
	Straight    bool // Relative and Centred coordinates of elements differ by constants alone
}

// A Form says what an element of an effect has for a coordinate.
type Form uint8

// With x ~ Normal(m, s):
const (
	Relative Form = iota // (x - m)/s
	Centred              // x
	// The elements of all Normal blocks together are normal given data and other parameters: x = μ + S·z. These are z.
	GivenData
)

// Form returns the form that an element has: as c says of the effect, else as the model does.
func (b EffectBlock) Form(c Centring, element int) Form {
	switch by := c[b.Name]; {
	case by != nil:
		return by[element]
	case b.NonCentered:
		return Relative
	}
	return Centred
}

// A Centring says, by the name of an effect, which form each of its elements has.
type Centring map[string][]Form

// An EffectPoint is an effect at a point: the values of its elements, with the locations and scales of their
// distributions; and, of a Normal one, the precision of each given all else, the other elements too, and the
// coordinates GivenData.
type EffectPoint struct{ Values, Locations, Scales, Precisions, GivenData []float64 }

// Parts returns how many lists of an effect's size a point of it consists of.
func (b EffectBlock) Parts() int {
	if b.Normal {
		return 5
	}
	return 3
}

// Point returns an effect at a point, of its parts laid end to end.
func (b EffectBlock) Point(parts []float64) (p EffectPoint) {
	for k, list := range []*[]float64{&p.Values, &p.Locations, &p.Scales, &p.Precisions, &p.GivenData}[:b.Parts()] {
		*list = parts[k*b.Size : (k+1)*b.Size : (k+1)*b.Size]
	}
	return p
}

// Coordinate is that of an element in a form.
func (p EffectPoint) Coordinate(i int, f Form) float64 {
	switch f {
	case Centred:
		return p.Values[i]
	case Relative:
		return (p.Values[i] - p.Locations[i]) / p.Scales[i]
	}
	return p.GivenData[i]
}
