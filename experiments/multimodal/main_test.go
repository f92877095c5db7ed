package main

import (
	"os"
	"testing"

	"ppl/experiments/lab"
)

// TestDefaultsAreRight checks that the weights of every target are right at default settings. The planted fault is a
// sampler without replicas, whose weights must be wrong.
func TestDefaultsAreRight(t *testing.T) {
	if testing.Short() || os.Getenv("PPL_SLOW") == "" {
		t.Skip("slow: set PPL_SLOW=1")
	}
	t.Chdir("../..")
	bench, err := lab.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer bench.Close()
	for _, target := range targets() {
		if target.weights == nil {
			target.weights, _ = readWeights(home + "/models/" + target.model + ".ppl")
		}
		s, err := measure(bench, target, "renhd", 1)
		if err != nil {
			t.Fatal(err)
		}
		if s.wrong() {
			t.Errorf("%s: %+v", target.model, s)
		}
	}
	if s, err := measure(bench, targets()[0], "hmc", 1); err != nil || !s.wrong() {
		t.Errorf("a sampler without replicas: %+v, %v", s, err)
	}
}

// TestWeights checks that the weights read from a model sum to 1, and that every target has a model.
func TestWeights(t *testing.T) {
	weights, err := readWeights("models/forty.ppl")
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	if len(weights) != 40 || sum < 0.9999 || sum > 1.0001 {
		t.Errorf("%d weights with sum %v", len(weights), sum)
	}
	for _, target := range targets() {
		if _, err := os.Stat("models/" + target.model + ".ppl"); err != nil {
			t.Error(err)
		}
	}
}
