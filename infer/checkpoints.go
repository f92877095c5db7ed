package infer

import "context"

// Checkpoints keep the state of a run, so that a run that was ended can continue. The state is the sampler's own; a
// sampler restores it, and continues as if the run had never been interrupted: every draw is the same.
type Checkpoints interface {
	// Load decodes the latest checkpoint into state, a pointer, and reports whether there is one.
	Load(state any) (found bool, err error)
	// Due reports whether it is time to save about that many numbers.
	Due(numbers int) bool
	// Save replaces the checkpoint. When it returns, state and all draws recorded so far are safe.
	Save(state any) error
}

// LoadCheckpoint decodes the latest checkpoint into state, a pointer; found is false if there is none, or if the run
// keeps none.
func LoadCheckpoint(keep Checkpoints, state any) (found bool, err error) {
	if keep == nil {
		return false, nil
	}
	return keep.Load(state)
}

// CheckpointIsDue reports whether it is time to save about that many numbers, or the last time before the run is
// interrupted. It is false if no checkpoints are kept.
func CheckpointIsDue(ctx context.Context, keep Checkpoints, numbers func() int) bool {
	return keep != nil && (keep.Due(numbers()) || ctx.Err() != nil)
}

// SaveCheckpoint replaces the checkpoint, if any are kept.
func SaveCheckpoint(keep Checkpoints, state any) error {
	if keep == nil {
		return nil
	}
	return keep.Save(state)
}
