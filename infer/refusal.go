package infer

// A Refusal says that a sampler cannot do with this target what it was asked for: a mistake of model or settings, not a
// failure of the run.
type Refusal struct{ Cause error }

func (r Refusal) Error() string { return r.Cause.Error() }

// Unwrap is the cause.
func (r Refusal) Unwrap() error { return r.Cause }
