// Package ladder exchanges the temperatures of neighbouring walkers and chooses the spacing of rungs (Syed,
// Bouchard-Côté, Deligiannidis, Doucet, "Non-reversible parallel tempering", JRSS-B 2021).
//
//	x := ladder.NewSwaps(ladder.Exchange{Test: ladder.NewTest("penalty")}, &phase, nil)
//	err := x.Round(ctx, walkers)                              even pairs and odd pairs in turn
//	betas := ladder.Respace(betas, x.NoiselessRates(), 8)     8 rungs whose neighbours reject equally
//
// A Test decides a swap from an estimate of the log acceptance ratio with noise of known variance. The package also
// counts round trips and statistics of each rung, and stores the energies from which the evidence is estimated.
package ladder
