package examples_test

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/flow"
	"ppl/infer/nuts"
	"ppl/infer/renhd"
)

// TestExamplesResume kills a run of every example, at a small budget, many times, and compares the draws with those of
// an uninterrupted run. The usual test kills only replica exchange, every few iterations; with PPL_SLOW it kills every
// sampler, and more often.
func TestExamplesResume(t *testing.T) {
	samplers := []killedSampler{{"renhd", renhd.Sample, 9}}
	if os.Getenv("PPL_SLOW") != "" && !testing.Short() {
		samplers = []killedSampler{{"renhd", renhd.Sample, 1}, {"nuts", nuts.Sample, 7},
			{"flow", flow.Sampler(flow.MeanField, nil), 5}}
	}
	for _, path := range examples(t) {
		for _, s := range samplers {
			t.Run(strings.TrimSuffix(path, ".ppl")+"/"+s.name, func(t *testing.T) { resumes(t, path, s) })
		}
	}
}

// A killedSampler is killed after the given number of checkpoints: iterations of replica exchange, steps of the others.
type killedSampler struct {
	name   string
	sample infer.Sampler
	every  int
}

func resumes(t *testing.T, path string, s killedSampler) {
	p, o := load(t, path), defaults(4)
	o.Chains, o.Warmup, o.Draws, o.Thin, o.Threads = 2, 25, 5, 1, 1
	if _, values := p.Infer(); values["batch"] != "" {
		o.Settings.Batch = 4
	}
	var want dynamicstest.Memory
	if _, err := s.sample(t.Context(), target{p}, o, &want); err != nil {
		t.Fatal(err)
	}
	k := &dynamicstest.Killer{Every: s.every}
	k.Run(t, s.sample, target{p}, o)
	if !reflect.DeepEqual(k.Draws.Values, want.Values) || !reflect.DeepEqual(k.Draws.Stats, want.Stats) {
		t.Errorf("after %d kills other draws", k.Kills)
	}
	t.Logf("%d kills, %d bytes", k.Kills, len(k.Saved))
}
