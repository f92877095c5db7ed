package infer

// Checkpoints keep the state of a run, so that a run that was ended can go on. The state is the sampler's own; a
// sampler restores it, and goes on as if the run had never been interrupted: every draw is the same.
type Checkpoints interface {
	// Load decodes the latest checkpoint into state, a pointer, and reports whether there is one.
	Load(state any) (found bool, err error)
	// Due reports whether it is time to save about that many numbers.
	Due(numbers int) bool
	// Save replaces the checkpoint. When it returns, state and all draws recorded so far are safe.
	Save(state any) error
}
