package renhd

// state holds decisions made before warm-up.
type state struct {
	AllRows string // why all rows are used although minibatches were requested, or ""
}

// counts are the counts for the report, made while draws are collected.
type counts struct {
	Iterations int
	Steps      float64 // total number of steps of the trajectories
}
