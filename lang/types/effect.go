package types

// An Effect is a parameter of several elements whose distribution has another parameter for its scale:
//
//	theta[j in J] ~ Normal(mu, tau) noncentered      {"theta", "tau", true}
type Effect struct {
	Name        string `json:"name"`
	Scale       string `json:"scale"` // the parameter that is its scale; empty where that is computed of some
	NonCentered bool   `json:"noncentered"`
}

// An EffectBlock is an effect whose elements a sampler may centre or not, as suits each: the coordinates of the
// elements, from First on.
type EffectBlock struct {
	Effect
	First, Size int
	Series      bool // elements read earlier ones, so that all have coordinates of one kind
	Curved      bool // it is the location that other parameters bend: the scale is constant
}

// Centred reports whether an element is centred: as c says of the effect, else as the model does.
func (b EffectBlock) Centred(c Centring, element int) bool {
	if by := c[b.Name]; by != nil {
		return by[element]
	}
	return !b.NonCentered
}

// A Centring says, by the name of an effect, which of its elements are centred: have themselves as coordinates, and not
// how far they are from their location in units of their scale.
type Centring map[string][]bool
