// Package adapt tunes samplers during warm-up: step sizes by dual averaging, and metrics, which are linear changes of
// coordinates that make a target approximately round.
//
// A metric is estimated from positions and gradients together (Seyboldt, Carlson, Carpenter, arXiv:2603.18845; the
// estimator of nutpie). For a Gaussian target with covariance Σ, gradients are g = −Σ⁻¹(θ − μ). So whatever
// distribution the points θ have, Cov(g) = Σ⁻¹ Cov(θ) Σ⁻¹, and Σ is the geometric mean of Cov(θ) and Cov(g)⁻¹. A few
// points on the path to the typical set are enough, whereas a sample covariance needs hundreds of draws from it.
package adapt
