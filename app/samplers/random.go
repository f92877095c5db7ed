package samplers

import (
	"fmt"

	"ppl/app/fault"
	"ppl/compiler"
	"ppl/lang/diag"
)

// randomAdvice maps each random change that samplers reject to advice on what to write instead.
//
// Dropout makes the density a function of noise. Augmentation does, too: a random crop in place of an image does not
// define a likelihood of the data. Using it anyway counts rows that are not observations, and is one cause of the cold
// posterior effect (Wenzel et al., How good is the Bayes posterior in deep neural networks really?, ICML 2020; Izmailov
// et al., What are Bayesian neural network posteriors really like?, ICML 2021). The mean of the network's outputs for
// an image and its transformed copies, however, is a function of parameters and data (Nabarro et al., UAI 2022).
func randomAdvice() map[string]string {
	const mean = "remove it, and average the network over an image and its copies, which defines a likelihood: "
	return map[string]string{
		"dropout":     "remove it, and regularise the weights by a prior instead: `f.weights ~ Normal(0, s)`",
		"random_crop": mean + "`(f(x) + f(moved(x))) / 2`",
		"random_flip": mean + "`(f(x) + f(mirrored(x))) / 2`",
	}
}

// NoPosterior explains why samplers reject a random change, such as dropout.
func NoPosterior(how string) (message, help string) {
	return fmt.Sprintf("no sampler takes `%s`: with it the density is not a function of the parameters alone", how),
		randomAdvice()[how] + "; or train the network with `ppl optimize --method adam --batch B`"
}

// NoMinibatches explains why an optimisation that uses all rows rejects a random change.
func NoMinibatches(how string) (message, help string) {
	return fmt.Sprintf("`%s` is for training by minibatches, and this method uses all rows at every step", how),
		"give --method adam --batch B, with B rows for each step"
}

// RefuseRandom returns an error of kind fault.Input, with the text that why returns, if a model contains a random
// change for training.
func RefuseRandom(p *compiler.Program, why func(how string) (message, help string)) error {
	if p.Random() == "" {
		return nil
	}
	message, help := why(p.Random())
	return fault.Diagnosed([]diag.Diagnostic{{Span: p.Randoms()[0].Called, Message: message, Help: help}})
}
