package renhd

import (
	"fmt"
	"math"

	"ppl/infer"
)

// IsNetwork reports whether a run uses the warm-up for networks.
func IsNetwork(t infer.Target, o infer.Options) bool {
	return infer.NetworkBlocks(t, o.Settings.Batch) != nil
}

// drawsOfNetwork is the default number of draws of a network, of all chains together. Each is as large as the network,
// and predictions average over them.
const drawsOfNetwork = 100

// NetworkOptions returns the options of a run of a network: replicas become chains, since a ladder would not exchange,
// and the number of draws becomes small unless drawsGiven. It also returns a one-line note about this. For all other
// targets it returns o and no note.
func NetworkOptions(t infer.Target, o infer.Options, drawsGiven bool) (infer.Options, string) {
	if !IsNetwork(t, o) {
		return o, ""
	}
	note := fmt.Sprintf("a network of %d parameters: an optimiser finds the start of each chain, which then samples "+
		"at temperature 1", t.Dim())
	if n := o.Settings.Replicas; n > 1 {
		ratio := o.Settings.Ratio
		if ratio == 0 {
			ratio = usualRatio
		}
		note = fmt.Sprintf("a network of %d parameters: temperatures in a ratio of %.3g would exchange at a rate of "+
			"%s, so the %d replicas are independent chains at temperature 1, which start where an optimiser ends",
			t.Dim(), ratio, tinyRate(t.Dim(), ratio), n)
		o.Chains = n
	}
	o.Settings.Replicas, o.Settings.Ratio = 1, 0
	if !drawsGiven {
		o.Draws = (drawsOfNetwork + o.Chains - 1) / o.Chains
	}
	return o, note
}

// usualRatio is the ratio of temperatures in the paper's ladders.
const usualRatio = 1.2

// tinyRate returns the rate at which two temperatures exchange on the energy path in d dimensions, erfc((1 − 1/τ)σ/2)
// with σ = √(d/2), the standard deviation of log π. Very small rates are written as a power of 10.
func tinyRate(dim int, ratio float64) string {
	x := (1 - 1/ratio) * math.Sqrt(float64(dim)/2) / 2
	if rate := math.Erfc(x); rate > 1e-12 {
		return fmt.Sprintf("%.1g", rate)
	}
	return fmt.Sprintf("10^%.0f", -(x*x+math.Log(x*math.Sqrt(math.Pi)))/math.Ln10)
}
