package renhd

// state is what a run has decided before warm-up.
type state struct {
	AllRows string // why all rows are used although minibatches were asked for; else empty
}

// counts is what a run counts while draws are collected, for the report.
type counts struct {
	Iterations int
	Steps      float64 // of the trajectories
}
