package main

const preface = `# Logistic regression on 10⁵ rows

Five coefficients, correlated covariates, simulated rows. The truth is the normal approximation at the mode, by Newton's method: at that number of rows it agrees with the posterior to far below a per cent,
and nuts on all rows agrees. Minibatches have 256 rows; steps are in whitened coordinates, chosen by the engine where the name says none.

    go run ./experiments/largedata

%s; processor time of the whole command.
`

const aboutThermostats = `%s
The engine measures the noise of the gradients in warm-up and takes a step at which its thermostat can take it up. Standard deviations are to be within 5 %% of the truth. Control
variates take most of the noise away, so that steps are as long as with all rows; without them, a trajectory has to be many small steps long where noise is 400 times the curvature.
`

const aboutRows = `Twenty predictors and an intercept; 4 chains of 1,000 draws after 1,000 of warm-up, default settings otherwise. Processor time of the whole command, warm-up, compiling and
reading included; the data are NumPy's files.

%s
With control variates the noise of a gradient, and so the number of steps, does not depend on the rows. Warm-up passes over all rows a few times to climb to the mode. Full batches and
minibatches without control variates are left out beyond 10⁴ rows, where they take minutes to hours.
`

const aboutFixed = `%s
![theory](sd.svg)

Nothing takes up the noise here. Theory for whitened coordinates and noise of variance N/m = 391: SGLD's sd is √(1 + h²V/4) of the truth, 2.2 at a step of .2 and 1.11 at .05, where it moves by
random steps and has few effective draws. SGHMC at the step and the friction that the engine gives thermostats, c = .01, is off by more, √(1 + h²V/2c), 3.0,
though it mixes better.
`

const aboutSwaps = `Rungs 1, 1.5, 2.25, 3.375.

%s
Swaps that ignore the noise of their estimates bring hot states down to the cold rung and widen it. The tests that heed it look at as many rows as they need, with control
variates that leave little to look for.
`

const aboutModes = `Rows of two groups; the likelihood is the same when their means change places, so the priors set the weights of the two modes, which are .001 wide at 10⁶ rows
and 3 apart. 4 chains of 1,000 draws in batches of 256, default settings otherwise; the ladder goes to the prior.

%s
Each mode has an anchor with its curvature. The number of rungs grows with the logarithm of the rows, and no step reads more of them.
`

const aboutFamilies = `Poisson regression; robust regression with Student's t of 4 degrees of freedom; logistic regression with an intercept for each of 30 groups, centred, whose standard deviation is
unknown. Five slopes each, 4 chains of 1,000 draws after 1,000 of warm-up. The truth for slopes is the normal approximation at the mode. Warm-up chooses the rows of a batch
(batch = auto; 0 where it takes all rows). Processor time of the whole command; the machine was busy with other work.

%s
All rows are measured at 10⁴ rows only.
`

const aboutRatios = `Posterior standard deviations over those of the normal approximation at the mode: from all draws of 10 seeds with
batch = auto, and of one run with all rows. 50,000 rows, 4 chains of 1,000 draws a seed. The errors are those of a
normal distribution's standard deviation from as many effective draws.

%s`

const aboutCalibration = `Simulation-based calibration (Talts et al. 2018): parameters from the prior, 2,000 rows from the likelihood, draws in
batches of 64 with control variates. If draws are from the posterior, the rank of the parameter among them is uniform.
χ² compares the counts of 20 ranges of ranks with that; p is its tail.

%s`
