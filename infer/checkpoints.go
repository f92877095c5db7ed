package infer

import "context"

// Checkpoints saves and loads the state of a run, so that an interrupted run can continue. Only the sampler interprets
// the state. After it has restored the state, it produces exactly the draws of an uninterrupted run.
type Checkpoints interface {
	// Load decodes the latest checkpoint into state, a pointer, and reports whether there is one.
	Load(state any) (found bool, err error)
	// Due reports whether it is time to save a state of about this many float64 values.
	Due(numbers int) bool
	// Save replaces the checkpoint. When it returns nil, the state and all draws recorded so far are on disk.
	Save(state any) error
}

// LoadCheckpoint decodes the latest checkpoint into state, a pointer. found is false if there is none, or if keep is
// nil.
func LoadCheckpoint(keep Checkpoints, state any) (found bool, err error) {
	if keep == nil {
		return false, nil
	}
	return keep.Load(state)
}

// CheckpointIsDue reports whether to save a state of about numbers() float64 values now: because it is time, or because
// the run is about to be interrupted. It is false if keep is nil.
func CheckpointIsDue(ctx context.Context, keep Checkpoints, numbers func() int) bool {
	return keep != nil && (keep.Due(numbers()) || ctx.Err() != nil)
}

// SaveCheckpoint replaces the checkpoint. It does nothing if keep is nil.
func SaveCheckpoint(keep Checkpoints, state any) error {
	if keep == nil {
		return nil
	}
	return keep.Save(state)
}
