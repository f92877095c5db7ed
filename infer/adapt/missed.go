package adapt

// A MissedMode holds a share of a target, and chains of a sampler without a ladder have not been in it.
type MissedMode struct {
	At     []float64 // its top
	Share  float64   // of the target
	Normal Normal    // Laplace's approximation of it
}
