package app

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ppl/app/notes"
	"ppl/app/rundir"
	"ppl/app/samplers"
	"ppl/compiler"
	"ppl/infer"
	"ppl/posterior/store"
	"ppl/runtime/sys/files"
	"ppl/runtime/sys/files/filestest"
)

// smallRun samples a few draws of a model into a directory.
func smallRun(t *testing.T, path string, seed uint64) {
	t.Helper()
	run := attemptIn(t, new(inProgress), path, files.Disk{}, oneMean(t))
	defer run.dir.Close(true)
	run.options.Chains, run.options.Draws, run.options.Warmup, run.options.Seed = 2, 10, 20, seed
	run.Seed = seed
	if err := run.announce(); err != nil {
		t.Fatal(err)
	}
	if _, err := run.sampleToGoal(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// runBy samples an automatically extended run, with a sampler of the test instead of renhd, and returns its directory.
func runBy(t *testing.T, p *compiler.Program, sample infer.Sampler, settle func(*attempt)) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "m.run")
	run := attemptIn(t, new(inProgress), path, files.Disk{}, p)
	run.autoExtend, run.sampler = true, samplers.Row{Name: "renhd", Sample: sample, Exchanges: true,
		Complete: func(_ infer.Target, s infer.Settings) infer.Settings { return s },
		Takes:    func(string) bool { return true }}
	settle(run)
	if err := run.announce(); err != nil {
		t.Fatal(err)
	}
	if _, err := run.sampleToGoal(t.Context()); err != nil {
		t.Fatal(err)
	}
	run.dir.Close(true)
	return path
}

// A run whose draws lack a mode that was found late is sampled again, starting from the mode. The planted faults are
// draws that lack too little for that, and a ladder whose length the user set, for which warm-up does not search for
// modes.
func TestLackingDrawsAreSampledAgain(t *testing.T) {
	late, p := []float64{12}, oneMean(t)
	priors, rows := p.LogDensities()
	width := TotalSize(p.Saved()) + TotalSize(priors) + TotalSize(rows)
	for name, c := range map[string]struct {
		lacking  float64
		replicas int
		again    bool
	}{"much": {.3, 0, true}, "little": {.01, 0, false}, "rungs asked for": {.3, 8, false}} {
		var told [][][]float64
		sample := func(_ context.Context, _ infer.Target, o infer.Options, r infer.Recorder) (infer.Report, error) {
			told = append(told, o.Known)
			random := rand.New(rand.NewPCG(o.Seed, 1))
			if err := r.Begin(nil); err != nil {
				return infer.Report{}, err
			}
			for range o.Draws {
				for chain := range o.Chains {
					if err := r.Draw(chain, slices.Repeat([]float64{random.NormFloat64()}, width), nil); err != nil {
						return infer.Report{}, err
					}
				}
			}
			var report infer.Report
			if report.Draws = o.Draws; o.Known == nil {
				report.Lacking, report.LackingAt = store.Number(c.lacking), [][]float64{late}
			}
			return report, nil
		}
		path := runBy(t, p, sample, func(run *attempt) { run.options.Settings.Replicas = c.replicas })
		info, err := store.ReadInfo(path)
		if err != nil || (info.Report.Lacking == 0) != c.again {
			t.Errorf("%s: the draws kept lack %.2f, %v", name, info.Report.Lacking, err)
		}
		knew := slices.ContainsFunc(told, func(x [][]float64) bool { return len(x) > 0 && slices.Equal(x[0], late) })
		if knew != c.again {
			t.Errorf("%s: told of %v", name, told)
		}
	}
}

// A second attempt that is consistent but disagrees with the first is kept with a warning, also after the run was
// extended. The draws of the first attempt are correlated, so that their effective sample sizes are small; the errors
// of its means take this into account.
func TestAttemptsThatDisagree(t *testing.T) {
	p := oneMean(t)
	priors, rows := p.LogDensities()
	width := TotalSize(p.Saved()) + TotalSize(priors) + TotalSize(rows)
	for name, c := range map[string]struct {
		second float64
		warned bool
	}{"far": {3, true}, "near": {.1, false}} {
		attempts := 0
		sample := func(_ context.Context, _ infer.Target, o infer.Options, r infer.Recorder) (infer.Report, error) {
			attempts++
			random := rand.New(rand.NewPCG(5, uint64(attempts)))
			if err := r.Begin(nil); err != nil {
				return infer.Report{}, err
			}
			for chain := range o.Chains {
				x := random.NormFloat64()
				for range o.Draws {
					if x = .98*x + math.Sqrt(1-.98*.98)*random.NormFloat64(); attempts > 1 {
						x = c.second + random.NormFloat64()
					}
					if err := r.Draw(chain, slices.Repeat([]float64{x}, width), nil); err != nil {
						return infer.Report{}, err
					}
				}
			}
			var report infer.Report
			report.Draws = o.Draws
			return report, nil
		}
		path := runBy(t, p, sample, func(run *attempt) { run.options.Draws = 300 })
		info, err := store.ReadInfo(path)
		if err != nil || attempts < 2 || (len(info.Report.Warnings) > 0) != c.warned {
			t.Errorf("%s: %d attempts, warnings %v, %v", name, attempts, info.Report.Warnings, err)
		}
		o, err := rundir.ReadOptions(path)
		if err != nil || o.Retry == nil || (o.Retry.Apart != nil) != c.warned {
			t.Fatalf("%s: options %+v, %v", name, o.Retry, err)
		}
		var later infer.Report // of a process that extends the run
		completeReport(o.Retry, &later)
		if (len(later.Warnings) > 0) != c.warned {
			t.Errorf("%s: an extended run has warnings %v", name, later.Warnings)
		}
	}
}

// A second attempt replaces the first wherever the process is killed: at any moment, the directory contains either a
// valid run, or one that the next process completes with the draws of the second attempt.
func TestAdoptingSurvivesDeath(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	from := t.TempDir()
	first, second := filepath.Join(from, "first"), filepath.Join(from, "other")
	smallRun(t, first, 1)
	smallRun(t, second, 2)
	if err := os.Remove(filepath.Join(second, store.LockFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join(second, "posterior/mu/0.0"))
	if err != nil {
		t.Fatal(err)
	}
	broken := 0
	for at := 0; ; at++ {
		path := filepath.Join(t.TempDir(), "m.run")
		if err := os.CopyFS(path, os.DirFS(first)); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(rundir.SecondIn(path), os.DirFS(second)); err != nil {
			t.Fatal(err)
		}
		disk := filestest.New(filestest.Dead(at))
		err := (&rundir.Dir{Disk: disk, Path: path}).StartAdopting()
		if marked := rundir.Adopting(path); !rundir.IsRun(path) && !marked {
			t.Fatalf("dead at call %d: there is no run any more", at)
		} else if marked {
			dir, err := rundir.Take(t.Context(), files.Disk{}, path, rundir.GoOn, notes.None{}, nil)
			if err != nil {
				t.Fatalf("dead at call %d: %v", at, err)
			}
			dir.Close(true)
			broken++
		} else if err != nil {
			continue // the first attempt is as it was
		}
		got, readErr := os.ReadFile(filepath.Join(path, "posterior/mu/0.0"))
		info, infoErr := store.ReadInfo(path)
		if !bytes.Equal(got, want) || readErr != nil || infoErr != nil || info.Seed != 2 ||
			rundir.Exists(rundir.SecondIn(path)) {
			t.Fatalf("dead at call %d: seed %d, %v, %v", at, info.Seed, readErr, infoErr)
		}
		if err == nil {
			break
		}
	}
	if broken < 10 {
		t.Errorf("only %d deaths on the way: the test shows little", broken)
	}
}
