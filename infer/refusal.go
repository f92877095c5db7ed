package infer

// A Refusal says that a sampler cannot do with this target what it was asked for: a mistake of model or settings, not a
// failure of the run.
type Refusal struct{ Cause error }

func (r Refusal) Error() string { return r.Cause.Error() }

// Unwrap returns the cause.
func (r Refusal) Unwrap() error { return r.Cause }

// A NowhereFinite is the cause of a Refusal of a target that is not finite where walkers can begin.
type NowhereFinite struct{ Tried string } // "any of 200 starting points"

func (n NowhereFinite) Error() string {
	return "the log density is not finite at " + n.Tried + "; check the model's supports and the data"
}
