package infer

// A Refusal is the error of a sampler that cannot sample the target as requested, because of the model or the
// settings; it is not a failure of the run.
type Refusal struct{ Cause error }

func (r Refusal) Error() string { return r.Cause.Error() }

// Unwrap returns the cause.
func (r Refusal) Unwrap() error { return r.Cause }

// A NowhereFinite is the cause of a Refusal if the density is not finite at any starting point.
type NowhereFinite struct{ Tried string } // "any of 200 starting points"

func (n NowhereFinite) Error() string {
	return "the log density is not finite at " + n.Tried + "; check the model's supports and the data"
}
