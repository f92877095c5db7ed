package main

const preface = `# Cheap methods for networks against long Hamiltonian Monte Carlo

What is the posterior's own predictive distribution, and how near to it do methods come that a larger network allows?
For a perceptron of 1,251 weights with tanh (2-32-32-3) on three noisy spirals, long runs of the No-U-Turn sampler say so,
as in Izmailov, Vikram, Hoffman and Wilson (ICML 2021).

    go run ./experiments/hmctruth

%s`

const about = `Each method learns from 500 rows and predicts 1,000 new ones, and 1,000 points of a square of sides 10, most of which
is far beyond the data. Agreement is the share of rows in which the most probable class is that of HMC; total variation is
½ Σ |p − q| over the classes, the mean over rows. HMC has four chains of %d draws after as many of warm-up; the first row is
another run of it with another seed, and says how well the truth is known. The others are means over %d seeds.

%s

HMC knows the truth to .002. The optima differ from it by .034 to .045 in total variation; chains
that sample come twice as near, and farther from the data four times. Chains that are ten times as long come no nearer, so
what is left is no Monte Carlo error: it is of minibatches, of the step, or of modes that these chains do not reach.`
