package types

// A NonFiniteTerm is a part of a model whose log density or gradient was not finite, and at how many points.
type NonFiniteTerm struct {
	Part   string `json:"part"` // "the log likelihood of `y`"
	Points int    `json:"points"`
	Zeros  int    `json:"zeros,omitempty"` // points at which the density is 0, as beyond an end that depends on others
	Help   string `json:"help,omitempty"`  // what to do about it, where more is known than that it is not finite
}
