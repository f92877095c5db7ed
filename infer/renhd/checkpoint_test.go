package renhd

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/checkpoint"
	"ppl/infer/dynamics"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/renhd/ladder"
	"ppl/infer/renhd/modesearch"
	"ppl/infer/renhd/part"
	"ppl/infer/renhd/population"
	"ppl/infer/renhd/renhdtest"
	"ppl/infer/renhd/subsampling"
	"ppl/infer/renhd/warmup"
	"ppl/runtime/device"
)

// resumeCases returns small runs that together use every part of warm-up and every kind of state.
func resumeCases() map[string]struct {
	every  int // number of iterations between kills
	target infer.Target
	o      infer.Options
} {
	type run = struct {
		every  int
		target infer.Target
		o      infer.Options
	}
	small := func(warmup, draws int, s infer.Settings) infer.Options {
		o := renhdtest.Options(3)
		o.Chains, o.Warmup, o.Draws, o.Thin, o.Settings = 2, warmup, draws, 1, s
		return o
	}
	means, _, _ := dynamicstest.Means(renhdtest.Normals(300))
	x, y := dynamicstest.SimulateLogistic(5000, 2, 1)
	some, _, _ := dynamicstest.Means(renhdtest.Normals(600))
	guessed := dynamicstest.Normal(1, 3)
	guessed.Proper = false
	unequal, _ := renhdtest.UnequalInFile(2000)
	pilots := small(60, 5, infer.Settings{})
	pilots.Thin = 0
	apart, late := renhdtest.FarApart()
	late.Warmup, late.Draws, late.Thin = 60, 40, 1
	return map[string]run{
		"one mode":     {1, dynamicstest.Normal(1, 2), small(60, 20, infer.Settings{})},
		"annealing":    {1, guessed, small(60, 10, infer.Settings{})},
		"dense":        {13, randomWalk(40), small(150, 10, infer.Settings{})},
		"pilots":       {7, dynamicstest.Normal(1, 2), pilots},
		"five modes":   {17, dynamicstest.FiveModes().Target(), small(300, 10, infer.Settings{})},
		"late modes":   {7, apart, late},
		"noise":        {1, dynamicstest.FiveModes().Target(), small(60, 10, infer.Settings{Noise: 0.25})},
		"asked ladder": {1, means, small(60, 10, infer.Settings{Replicas: 3})},
		"minibatches":  {1, means, small(60, 10, infer.Settings{Batch: 32})},
		"batch ladder": {3, means, small(60, 10, infer.Settings{Batch: 32, Replicas: 3, Ratio: 1.5, Path: "energy"})},
		"plain ladder": {7, means, small(60, 10, infer.Settings{Batch: 32, Replicas: 3, Ratio: 1.5, Path: "energy",
			ControlVariates: "off"})},
		"chosen batch": {9, dynamicstest.Logistic(x, y, 2, 2.5), small(60, 10,
			infer.Settings{Batch: infer.AutoBatch})},
		"chosen all rows": {5, some, small(60, 10, infer.Settings{Batch: infer.AutoBatch})},
		"two anchors":     {29, renhdtest.TwoGroups(2000), small(60, 10, infer.Settings{Batch: 32})},
		"rows of a file":  {1, dynamicstest.FiledLogistic(x, y, 2, 2.5), small(60, 10, infer.Settings{Batch: 32})},
		"elements of a file": {7, unmixed(dynamicstest.FiledLogistic(x, y, 2, 2.5)), small(60, 10,
			infer.Settings{Batch: 32})},
		"batch chosen for a file": {9, dynamicstest.FiledLogistic(x, y, 2, 2.5), small(60, 10,
			infer.Settings{Batch: infer.AutoBatch})},
		"ladder over a file": {3, dynamicstest.FiledLogistic(x, y, 2, 2.5), small(60, 10,
			infer.Settings{Batch: 32, Replicas: 3, Ratio: 1.5, Path: "energy"})},
		"file, two anchors": {29, renhdtest.TwoGroupsInFile(2000), small(60, 10, infer.Settings{Batch: 32})},
		"file, no anchors": {5, dynamicstest.FiledLogistic(x, y, 2, 2.5), small(60, 10,
			infer.Settings{Batch: 32, ControlVariates: "off"})},
		"leverage":       {3, unequal.InMemory(), small(60, 10, infer.Settings{Batch: 100})},
		"file, leverage": {29, unequal, small(60, 10, infer.Settings{Batch: 100})},
		"network":        {11, renhdtest.NewLayered(1000), small(60, 3, infer.Settings{Batch: 10})},
		"recentred":      {19, dynamicstest.SixEffects(false, 8, 0.05), small(240, 10, infer.Settings{})},
		"recentred, free": {19, dynamicstest.SixEffects(false, 8), small(160, 10,
			infer.Settings{Dynamics: "nosehoover"})},
		"centred again": {23, dynamicstest.SixEffects(false, 8), small(160, 10, infer.Settings{Dynamics: "nosehoover",
			Replicas: 2})},
		"images": {11, renhdtest.NewLabelled(2, []float64{-4, 0, 5, 1}, []float64{.1, .3, 1, .5}), small(200, 10,
			infer.Settings{})},
		"out of reach": {3, renhdtest.FarCounts(), small(60, 6, infer.Settings{})},
		"hops":         {29, renhdtest.Terraces(), small(400, 10, infer.Settings{})},
		"flagged":      {1, dynamicstest.Normal(1, 2), small(50, 12, infer.Settings{Dynamics: "tacthmc"})},
	}
}

// randomWalk returns a normal target for which no diagonal metric is good.
func randomWalk(d int) infer.Target {
	a := make([]float64, d*d)
	for i := range d {
		a[i*d+i] = 1
		if i > 0 {
			a[i*d+i-1] = -1
		}
	}
	return dynamicstest.MultiNormal(make([]float64, d), a)
}

// unmixed returns t with rows in a file that is not in random order.
func unmixed(t dynamicstest.Filed) dynamicstest.Filed {
	t.InOrder = false
	return t
}

// TestResumeAfterEveryKill checks that a run that is killed and resumed every few iterations, in warm-up and while
// sampling, gives the same draws and report as an uninterrupted run.
func TestResumeAfterEveryKill(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	for name, c := range resumeCases() {
		t.Run(name, func(t *testing.T) {
			want, report := draw(t, c.target, c.o)
			k := &dynamicstest.Killer{Every: c.every}
			again := k.Run(t, Sample, c.target, c.o)
			if !reflect.DeepEqual(k.Draws.Values, want.values) || !reflect.DeepEqual(k.Draws.Stats, want.stats) {
				t.Errorf("after %d kills the draws differ", k.Kills)
			}
			if report.Gradients != again.Gradients || !reflect.DeepEqual(report.Notes, again.Notes) ||
				!reflect.DeepEqual(report.Warnings, again.Warnings) ||
				!reflect.DeepEqual(report.Temperatures, again.Temperatures) || report.Thin != again.Thin ||
				!reflect.DeepEqual(report.Ladder, again.Ladder) {
				t.Errorf("report %+v\nafter %d kills %+v", report, k.Kills, again)
			}
			t.Logf("%d kills, %d bytes", k.Kills, len(k.Saved))
		})
	}
}

// alterState returns a function that changes the state of an owner in a checkpoint.
func alterState[S any](owner string, alter func(s *S)) func(c *part.Checkpoint) {
	return func(c *part.Checkpoint) { c.States[owner] = altered(c.States[owner], alter) }
}

// alterPart returns a function that changes the state of the current part in a checkpoint, if that part has this name.
func alterPart[S any](name string, alter func(s *S)) func(c *part.Checkpoint) {
	return inPart(name, func(c *part.Checkpoint) { c.Under = altered(c.Under, alter) })
}

// inPart returns a function that calls alter if the current part of a checkpoint has this name.
func inPart(name string, alter func(c *part.Checkpoint)) func(c *part.Checkpoint) {
	return func(c *part.Checkpoint) {
		if c.Part == name {
			alter(c)
		}
	}
}

func altered[S any](text []byte, alter func(s *S)) []byte {
	var s S
	err := checkpoint.Decode(text, &s)
	if err == nil {
		alter(&s)
		text, err = checkpoint.Encode(&s)
	}
	if err != nil {
		panic(err)
	}
	return text
}

// TestForgottenFieldsAreFound checks planted faults: if a checkpoint loses a field, the draws must differ.
func TestForgottenFieldsAreFound(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	for field, c := range map[string]struct {
		in    string
		alter func(c *part.Checkpoint)
	}{
		"iterations":  {"one mode", alterState("population", func(s *population.Kept) { s.Iterations = 0 })},
		"median step": {"one mode", alterState("population", func(s *population.Kept) { s.MedianStep = 1 })},
		"noise step":  {"one mode", alterState("population", func(s *population.Kept) { s.Roster.NoiseStep = 0 })},
		"round":       {"asked ladder", alterState("ladder", func(s *ladder.State) { s.Round = 0 })},
		"anchors": {"batch ladder", alterState("subsampling", func(s *subsampling.State) {
			for _, a := range s.Anchors {
				a.Slope[0] += 1000
			}
		})},
		"curvature": {"two anchors", alterState("subsampling", func(s *subsampling.State) {
			for _, a := range s.Anchors {
				if a.Rows != nil {
					a.Rows[0] *= 1e4
				}
			}
		})},
		"groups of points": {"two anchors", alterPart("window", func(s *warmup.WindowState) {
			for _, of := range s.Of {
				clear(of)
			}
		})},
		"lane buffers": {"noise", func(c *part.Checkpoint) { c.Lanes = nil }},
		"thermostat": {"noise", func(c *part.Checkpoint) {
			c.Lanes = slices.DeleteFunc(c.Lanes, func(p device.Part) bool { return p.Name == dynamics.Thermostat })
		}},
		"clock": {"file, no anchors", func(c *part.Checkpoint) {
			c.Lanes = slices.DeleteFunc(c.Lanes, func(p device.Part) bool { return p.Name == "clock" })
		}},
		"anchors of a file": {"rows of a file", alterState("subsampling", func(s *subsampling.State) {
			for _, a := range s.Anchors {
				a.At[0] += 0.1
			}
		})},
		"climbs": {"out of reach", alterPart("approach", func(s *warmup.ApproachState) {
			for k := range s.Climbs {
				s.Climbs[k].Fraction = 1
			}
		})},
		"fitted normal": {"one mode", alterPart("descent", func(s *warmup.DescentState) {
			s.Best.Bound = math.Inf(1) // no other is better
		})},
		"step sizes": {"one mode", alterPart("window", func(s *warmup.WindowState) {
			s.StepSizes[0].ErrorSum = 0
		})},
		"points": {"recentred", alterPart("window", func(s *warmup.WindowState) { s.Points[0] = adapt.Points{} })},
		"coordinates": {"recentred", inPart(collecting, alterState("population", func(s *population.Kept) {
			s.Centring = nil
		}))},
		"coordinates in warm-up": {"recentred", inPart("window", alterState("population", func(s *population.Kept) {
			s.Centring = nil
		}))},
		"modes": {"five modes", func(c *part.Checkpoint) {
			alterState("modes", func(s *modesearch.State) { s.Modes = nil })(c)
			alterPart(collecting, func(s *collectorState) { s.Watch.Search.FoundAt = nil })(c)
		}},
		"visits": {"five modes",
			alterPart(collecting, func(s *collectorState) { s.Watch.Visits = modesearch.VisitCount{} })},
		"searches": {"late modes",
			alterPart(collecting, func(s *collectorState) { s.Watch.Search = modesearch.LateSearch{} })},
		"queue": {"flagged", alterPart(collecting, func(s *collectorState) { s.Chains[0].Steps = 0 })},
	} {
		t.Run(field, func(t *testing.T) {
			run := resumeCases()[c.in]
			run.o.WholeCalls = true // a checkpoint after each iteration, not after those of a call
			want, report := draw(t, run.target, run.o)
			k := &dynamicstest.Killer{Every: 5, Alter: func(state any) { c.alter(state.(*part.Checkpoint)) }}
			again := k.Run(t, Sample, run.target, run.o)
			if reflect.DeepEqual(report.Notes, again.Notes) && reflect.DeepEqual(k.Draws.Values, want.values) &&
				reflect.DeepEqual(k.Draws.Stats, want.stats) {
				t.Errorf("the planted fault is not detected: the draws are the same after %d kills", k.Kills)
			}
		})
	}
}

// TestExtend checks that a run of 10 draws that is extended to 25 has the same draws as a run of 25.
func TestExtend(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	for _, name := range []string{"one mode", "five modes", "late modes", "flagged"} {
		c := resumeCases()[name]
		c.o.Draws = 25
		want, _ := draw(t, c.target, c.o)
		var k dynamicstest.Killer
		for _, c.o.Draws = range []int{10, 25} {
			k.Run(t, Sample, c.target, c.o)
		}
		if !reflect.DeepEqual(k.Draws.Values, want.values) || !reflect.DeepEqual(k.Draws.Stats, want.stats) {
			t.Errorf("%s: extended draws differ", name)
		}
	}
}
