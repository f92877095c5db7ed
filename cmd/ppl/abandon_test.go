package main

import (
	"bytes"
	"path/filepath"
	"testing"

	"ppl/compiler"
	"ppl/infer"
	"ppl/posterior/store"
	"ppl/runtime/host"
	"ppl/runtime/sys/files/filestest"
)

// oneMean is a model of one measurement.
func oneMean(t *testing.T) *compiler.Program {
	t.Helper()
	p, ds := compiler.LoadText("m.ppl", "data y = 1\nmu ~ Normal(0, 10)\ny ~ Normal(mu, 1)\n", nil,
		compiler.DefaultRowCache())
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	return p
}

// A run that is given up while its sampler is busy keeps every draw, says that it was interrupted, and is closed once.
func TestAbandonedRunKeepsItsDraws(t *testing.T) {
	p := oneMean(t)
	var said bytes.Buffer
	c, path := plainConsole(&said, &said), filepath.Join(t.TempDir(), "m.run")
	dir, err := c.takeDir(t.Context(), path, refuse)
	if err != nil {
		t.Fatal(err)
	}
	s := &sampling{out: path, options: infer.Defaults()}
	s.options.Chains, s.options.Device = 2, infer.Lowered(host.Device{})
	run := &posteriorRun{sampling: s, program: p, dir: dir, note: func(string) {}}
	if err := run.announce(); err != nil {
		t.Fatal(err)
	}
	r := run.newRecorder(func(infer.Progress) {})
	dir.recorder.Store(r)
	if err := r.Begin(nil); err != nil {
		t.Fatal(err)
	}
	const n = 7
	width := size(p.Saved())
	priors, rows := p.LogDensities()
	if r.rows {
		width += size(rows)
	}
	for k := range 2 * n {
		if err := r.Draw(k%2, make([]float64, width+size(priors)), nil); err != nil {
			t.Fatal(err)
		}
	}
	before, err := store.ReadInfo(path)
	if err != nil || before.Draws == n {
		t.Fatalf("%d draws are readable before, %v: the test could not fail", before.Draws, err)
	}
	c.abandon(dir)
	if err := r.close(&store.SamplerReport{}, store.Finished, nil); err != nil {
		t.Fatal(err)
	}
	after, err := store.ReadInfo(path)
	if err != nil || after.Draws != n || after.Status != store.Interrupted {
		t.Errorf("%d draws, %v, %v, want %d and interrupted\n%s", after.Draws, after.Status, err, n, &said)
	}
}

// A run that goes on by itself is not called finished before nothing more is to come: killed between two of its parts,
// it would be left at the first by --resume.
func TestRunInPartsIsFinishedOnce(t *testing.T) {
	p := oneMean(t)
	var said bytes.Buffer
	c, path := plainConsole(&said, &said), filepath.Join(t.TempDir(), "m.run")
	var finished []int // how many draws the run had whenever it was called finished
	c.disk = filestest.New(func(int, filestest.Op) error {
		if info, err := store.ReadInfo(path); err == nil && info.Status == store.Finished {
			finished = append(finished, info.Draws)
		}
		return nil
	})
	dir, err := c.takeDir(t.Context(), path, refuse)
	if err != nil {
		t.Fatal(err)
	}
	s := &sampling{out: path, options: infer.Defaults(), goesOn: true}
	row, _ := findSampler("nuts")
	const first = 20 // too few for the effective size that a run aims at
	s.options.Chains, s.options.Draws, s.options.Warmup = 2, first, 100
	s.options.Device = infer.Lowered(host.Device{})
	run := &posteriorRun{sampling: s, program: p, sampler: row, dir: dir, note: func(string) {}}
	if err := run.announce(); err != nil {
		t.Fatal(err)
	}
	stopped, err := run.sampleToGoal(t.Context(), func(infer.Progress) {}, func() {})
	info, readErr := store.ReadInfo(path)
	if stopped || err != nil || readErr != nil || info.Status != store.Finished || info.Draws <= first {
		t.Fatalf("stopped %v, %v, %v, %s with %d draws\n%s", stopped, err, readErr, info.Status, info.Draws, &said)
	}
	for _, n := range finished {
		if n != info.Draws {
			t.Errorf("called finished with %d of %d draws", n, info.Draws)
		}
	}
}
