package dynamics

// Traits are the properties of a rule that the host depends on.
type Traits struct {
	// Corrected: trajectories are accepted or rejected, so the density must be exact. The host sets Cool.
	Corrected bool
	// Friction: the rule reads the buffer Friction, which the host sets.
	Friction bool
	// Density: a step reads the log density at its start.
	Density bool
	// Flagged: not every trajectory gives a draw; the buffer Counts is 1 for those that do.
	Flagged bool
	// Carried lists lane buffers of size 1 that belong to the rung: lanes exchange them when they exchange rungs.
	Carried []string
}
