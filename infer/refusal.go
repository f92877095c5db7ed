package infer

// A Refusal is the error of a sampler that cannot sample this target with these settings. Any other error means that
// the run failed.
type Refusal struct{ Cause error }

func (r Refusal) Error() string { return r.Cause.Error() }

// Unwrap returns the cause.
func (r Refusal) Unwrap() error { return r.Cause }

// NowhereFinite is the cause of a Refusal if the density is not finite at any starting point.
type NowhereFinite struct{ Tried string } // the points tried, as in "any of 200 starting points"

func (n NowhereFinite) Error() string {
	return "the log density is not finite at " + n.Tried + "; check the model's supports and the data"
}
