package types

// An Effect is a parameter with several elements whose distribution has another parameter as its scale:
//
//	theta[j in J] ~ Normal(mu, tau) noncentered      {"theta", "tau", true}
type Effect struct {
	Name        string `json:"name"`
	Scale       string `json:"scale"` // the parameter that is the scale; empty if the scale is computed
	NonCentered bool   `json:"noncentered"`
}

// An EffectBlock describes the unconstrained coordinates of an effect, Size of them from First. A sampler may choose
// the form of the coordinate for each element.
type EffectBlock struct {
	Effect
	First, Size int
	Series      bool // elements depend on earlier ones, so all must have the same form
	Vector      bool // elements are correlated, so all must have the same form
	Curved      bool // other parameters affect the location but not the scale
	Normal      bool // given everything else, the elements of all such blocks are jointly normal: GivenData is allowed
	Line        bool // values are on the unconstrained line, because elements have bounds or a fixed sum
	Straight    bool // Relative and Centred coordinates of elements differ only by constants
}

// A Form identifies the coordinate that represents an element of an effect.
type Form uint8

// For x ~ Normal(m, s), the coordinates are:
const (
	Relative Form = iota // (x - m)/s
	Centred              // x
	// Given data and other parameters, the elements of all Normal blocks are jointly normal: x = μ + S·z. The
	// coordinate is z.
	GivenData
)

// Form returns the form of an element: the one in c, or else the model's.
func (b EffectBlock) Form(c Centring, element int) Form {
	switch by := c[b.Name]; {
	case by != nil:
		return by[element]
	case b.NonCentered:
		return Relative
	}
	return Centred
}

// A Centring maps the name of an effect to the forms of its elements.
type Centring map[string][]Form

// An EffectPoint is an effect at a point: the values of its elements, and the locations and scales of their
// distributions. A Normal effect also has the precision of each element given everything else, including the other
// elements, and the GivenData coordinates.
type EffectPoint struct{ Values, Locations, Scales, Precisions, GivenData []float64 }

// Parts returns the number of lists of the effect's size in an EffectPoint.
func (b EffectBlock) Parts() int {
	if b.Normal {
		return 5
	}
	return 3
}

// Point returns the EffectPoint whose lists are concatenated in parts.
func (b EffectBlock) Point(parts []float64) (p EffectPoint) {
	for k, list := range []*[]float64{&p.Values, &p.Locations, &p.Scales, &p.Precisions, &p.GivenData}[:b.Parts()] {
		*list = parts[k*b.Size : (k+1)*b.Size : (k+1)*b.Size]
	}
	return p
}

// Coordinate returns the coordinate of element i in the given form.
func (p EffectPoint) Coordinate(i int, f Form) float64 {
	switch f {
	case Centred:
		return p.Values[i]
	case Relative:
		return (p.Values[i] - p.Locations[i]) / p.Scales[i]
	}
	return p.GivenData[i]
}
