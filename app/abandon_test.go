package app

import (
	"path/filepath"
	"testing"

	"ppl/app/notes"
	"ppl/app/rundir"
	"ppl/app/samplers"
	"ppl/compiler"
	"ppl/infer"
	"ppl/posterior/store"
	"ppl/runtime/host"
	"ppl/runtime/sys/files"
	"ppl/runtime/sys/files/filestest"
)

// oneMean compiles a model with one measurement.
func oneMean(t *testing.T) *compiler.Program {
	t.Helper()
	p, ds := compiler.Load(compiler.Request{Path: "m.ppl", Text: "data y = 1\nmu ~ Normal(0, 10)\ny ~ Normal(mu, 1)\n"})
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	return p
}

// attemptIn returns an attempt with the sampler nuts in a new directory.
func attemptIn(t *testing.T, k *inProgress, path string, disk files.System, p *compiler.Program) *attempt {
	t.Helper()
	dir, err := rundir.Take(t.Context(), disk, path, rundir.Refuse, notes.None{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	k.dir.Store(dir)
	row, _ := samplers.Find("nuts")
	run := &attempt{Request: Request{Dir: path}, options: infer.Defaults(), program: p, sampler: row, dir: dir,
		notes: notes.None{}, current: &k.current}
	run.options.Device = infer.Lowered(host.Device{})
	return run
}

// A run that is abandoned while its sampler is running keeps every draw, has the status interrupted, and is closed only
// once.
func TestAbandonedRunKeepsItsDraws(t *testing.T) {
	p := oneMean(t)
	path := filepath.Join(t.TempDir(), "m.run")
	var k inProgress
	run := attemptIn(t, &k, path, files.Disk{}, p)
	run.options.Chains = 2
	if err := run.announce(); err != nil {
		t.Fatal(err)
	}
	r := run.newRecorder()
	k.current.Store(r)
	if err := r.Begin(nil); err != nil {
		t.Fatal(err)
	}
	const n = 7
	width := TotalSize(p.Saved())
	priors, rows := p.LogDensities()
	if r.rows {
		width += TotalSize(rows)
	}
	for k := range 2 * n {
		if err := r.Draw(k%2, make([]float64, width+TotalSize(priors)), nil); err != nil {
			t.Fatal(err)
		}
	}
	before, err := store.ReadInfo(path)
	if err != nil || before.Draws == n {
		t.Fatalf("%d draws are readable before, %v: the test could not fail", before.Draws, err)
	}
	if kept, err := k.Abandon(); kept != path || err != nil {
		t.Fatal(kept, err)
	}
	if err := r.close(&store.SamplerReport{}, store.Finished, nil); err != nil {
		t.Fatal(err)
	}
	after, err := store.ReadInfo(path)
	if err != nil || after.Draws != n || after.Status != store.Interrupted {
		t.Errorf("%d draws, %v, %v, want %d and interrupted", after.Draws, after.Status, err, n)
	}
}

// An automatically extended run is marked as finished only once, at its end. If it were finished earlier and killed
// between two parts, --resume would not extend it.
func TestRunInPartsIsFinishedOnce(t *testing.T) {
	p := oneMean(t)
	path := filepath.Join(t.TempDir(), "m.run")
	var finished []int // how many draws the run had whenever it was called finished
	disk := filestest.New(func(int, filestest.Op) error {
		if info, err := store.ReadInfo(path); err == nil && info.Status == store.Finished {
			finished = append(finished, info.Draws)
		}
		return nil
	})
	run := attemptIn(t, new(inProgress), path, disk, p)
	const first = 20 // too few for the effective size that a run aims at
	run.options.Chains, run.options.Draws, run.options.Warmup, run.autoExtend = 2, first, 100, true
	if err := run.announce(); err != nil {
		t.Fatal(err)
	}
	stopped, err := run.sampleToGoal(t.Context())
	info, readErr := store.ReadInfo(path)
	if stopped || err != nil || readErr != nil || info.Status != store.Finished || info.Draws <= first {
		t.Fatalf("stopped %v, %v, %v, %s with %d draws", stopped, err, readErr, info.Status, info.Draws)
	}
	for _, n := range finished {
		if n != info.Draws {
			t.Errorf("called finished with %d of %d draws", n, info.Draws)
		}
	}
}
