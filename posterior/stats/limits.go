package stats

// Limits for diagnostics of draws. MaxRHat and MinESS are from Vehtari et al. (2021); runs aim at TargetESS.
// MaxParetoK is from Vehtari et al. (2024), for some thousands of weights.
const (
	MaxRHat    = 1.01 // for every quantity
	MinESS     = 400  // for bulk and tail
	TargetESS  = 1000 // for bulk
	MaxParetoK = 0.7  // largest k̂ for which importance weights can be used
)
