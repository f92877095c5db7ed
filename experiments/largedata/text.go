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

const aboutRows = `Twenty predictors and an intercept; 4 chains of 1,000 draws after 1,000 of warm-up, default settings otherwise. Processor time of the whole command, warm-up and
reading included, with compiled code that is there from a run before. The data are NumPy's files; "from files" is a run that may take so much memory (--max-memory), for which the rows were
written to disk in random order by a run before. Memory is the most that the process had. The machine was busy with other work.

%s
With control variates the noise of a gradient, and so the number of steps, does not depend on the rows. What grows with them is read, checked and written once, or a few times: the
file, the search for values that cannot be, a copy in random order, the copy of the data in the run's directory, and gradients of all rows on the way to the mode. Full
batches are left out where they take minutes to hours. The sums of blocks at the mode took 7 s more of the runs with 10⁷ rows, and .7 s of those with 10⁶, than they do now.
`

const aboutLadder = `10⁵ rows, batches of 256, 4 chains of 1,000 draws, default settings otherwise.

%s
All walkers share the rows of a step, which are read once, but each needs the arithmetic of its own gradient, and that is what a step costs: the rows of a batch are in the cache. So a
ladder of five costs five times one rung, and what swaps take. Of its processor time, by perf, the two products with the rows and what lies between them are 27 %%, and energies of swaps, whose
rows are in an order of their own for each chain and round, 40 %% (of which the shuffle 10 %%).
`

const aboutRowCosts = `The difference of a long run and a short one, over the gradients between them and the rows of a gradient; 21 columns, 4 walkers, 2 threads. With control variates walkers share the rows of
a batch, and what these say at an anchor is tabulated, so that a row takes one gradient; without, each walker has rows of its own, from a shuffle.

%s
With control variates no step shuffles: batches are cut from rows that were put in random order once. The pilot that chooses the thinning takes 5 to 6 %% of a run (10⁵ rows, batches
of 64 and 256, by perf).

Control variates of second order would take away the noise that those of first order leave. That would gain little here. In batches of 256 and 64 rows the variance left, .18 and .46,
allows steps of .2, which is the step without noise. In batches of 16 rows it is 2.1, and steps are .12, so that a run of 1,000 draws at 10⁵ rows takes 534,000 gradients for 358,000: two
thirds of its time could be had, and the products with the Hessian of each row come on top.
`

const aboutPeers = `The same rows, 4 chains of 1,000 draws, processor time of everything from the data in memory on, compiling included (ppl: of the whole command, with compiled code from a run before).
nutpie has the gradient of all rows from JAX, 400 draws of tuning. HMCECS of NumPyro has NUTS inside, subsamples of 256 rows in 16 blocks, a Taylor proxy of second order at the mode and 500
draws of warm-up. SGLD-CV and SGHMC-CV (Baker et al. 2019) are written in JAX: batches of 256, control variates at the mode, coordinates whitened by the curvature there (which Newton's method finds,
its time included), steps of .3 and .2 standard deviations, friction .1, 20 steps for a draw. Each had ten minutes of the clock, on a machine busy with other work: nutpie had taken 258 s of
processor time by then.

    go run ./experiments/largedata -parts others -python PYTHON

%s
ESS is the lesser of bulk and tail of the worst parameter, by one program for all.
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
and 3 apart. 4 chains of 1,000 draws, batch = auto, which chooses 64 rows, default settings otherwise; the ladder goes to the prior.

%s
Each mode has an anchor with its curvature. The number of rungs, 10 to 12, grows with the logarithm of the rows, and no step reads more of them. Processor time is left out where it
was not kept.
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
