package types

// An Effect is a parameter of several elements whose distribution has another parameter for its scale:
//
//	theta[j in J] ~ Normal(mu, tau) noncentered      {"theta", "tau", true}
type Effect struct {
	Name        string `json:"name"`
	Scale       string `json:"scale"` // the parameter that is its scale; empty where that is computed of some
	NonCentered bool   `json:"noncentered"`
}
