// Package adapt tunes samplers during warm-up: step sizes by dual averaging and linear changes of coordinates
// ("metrics") that make a target look round.
//
// A metric is estimated from positions and gradients together (Seyboldt, Carlson, Carpenter, arXiv:2603.18845; the
// estimator behind nutpie): for a Gaussian target with covariance Σ, gradients are g = −Σ⁻¹(θ − μ), so whatever
// distribution the points θ have, Cov(g) = Σ⁻¹ Cov(θ) Σ⁻¹, and Σ is the geometric mean of Cov(θ) and Cov(g)⁻¹. A few
// points on their way to the typical set are enough, where a sample covariance needs hundreds of draws from it.
package adapt
