package main

// A contender is a sampler with its settings.
type contender struct{ name, settings string }

const (
	home       = "experiments/largedata"
	rows       = 100_000
	batch      = 256
	parameters = 5
	spread     = 2.5 // standard deviation of the prior
)
