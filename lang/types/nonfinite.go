package types

// A NonFiniteTerm is a part of a model whose log density or gradient was not finite at some points.
type NonFiniteTerm struct {
	Part   string `json:"part"` // for example "the log likelihood of `y`"
	Points int    `json:"points"`
	Zeros  int    `json:"zeros,omitempty"` // points with density 0, as beyond an end of the support
	Help   string `json:"help,omitempty"`  // advice, if the cause is known
}
