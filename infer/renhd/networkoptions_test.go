package renhd

import (
	"strings"
	"testing"

	"ppl/infer"
	"ppl/infer/renhd/renhdtest"
)

// TestNetworkOptions checks that replicas of a network become chains, and that the options of a small model, of a run
// without minibatches, and of a model without networks do not change.
func TestNetworkOptions(t *testing.T) {
	o := infer.Defaults()
	o.Settings = infer.Settings{Batch: 10, Replicas: 12}
	got, note := NetworkOptions(renhdtest.NewLayered(1000), o, false)
	if got.Chains != 12 || got.Settings.Replicas != 1 || got.Draws != 9 || !strings.Contains(note, "rate of 0.008") {
		t.Errorf("%d chains of %d draws, %d replicas: %s", got.Chains, got.Draws, got.Settings.Replicas, note)
	}
	for name, c := range map[string]struct {
		target infer.Target
		batch  int
	}{
		"few weights":  {renhdtest.NewLayered(800), 10},
		"all rows":     {renhdtest.NewLayered(1000), 0},
		"not declared": {renhdtest.NewLayered(1000).Undeclared(), 10},
	} {
		o.Settings.Batch = c.batch
		if got, note := NetworkOptions(c.target, o, false); note != "" || got.Chains != o.Chains {
			t.Errorf("%s: treated as a network: %s", name, note)
		}
	}
	for dim, want := range map[int]string{159_010: "10^-241", 89_290: "10^-136"} { // erfc by mpmath
		if got := tinyRate(dim, 1.2); got != want {
			t.Errorf("%d parameters exchange at %s, want %s", dim, got, want)
		}
	}
}
