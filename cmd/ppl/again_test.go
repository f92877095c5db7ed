package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"ppl/infer"
	"ppl/infer/draws"
	"ppl/runtime/files"
	"ppl/runtime/files/filestest"
	"ppl/runtime/host"
)

// smallRun samples a few draws of a model into a directory.
func smallRun(t *testing.T, path string, seed uint64) {
	t.Helper()
	var said bytes.Buffer
	c := plainConsole(&said, &said)
	dir, err := c.takeDir(t.Context(), path, refuse)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.close(true)
	row, _ := findSampler("nuts")
	s := &sampling{out: path, seed: seed, options: infer.Options{Chains: 2, Draws: 10, Warmup: 20, Seed: seed,
		Device: infer.Lowered(host.Device{})}}
	run := &posteriorRun{sampling: s, program: oneMean(t), sampler: row, dir: dir, note: func(string) {}}
	if err := run.announce(); err != nil {
		t.Fatal(err)
	}
	if _, err := run.sampleToGoal(t.Context(), func(infer.Progress) {}, func() {}); err != nil {
		t.Fatalf("%v\n%s", err, &said)
	}
}

// A second attempt takes the place of the first whenever the process dies on the way: at any moment there is either a
// run, or one that the next process finishes, and then its draws are those of the second.
func TestAdoptingSurvivesDeath(t *testing.T) {
	from := t.TempDir()
	first, second := filepath.Join(from, "first"), filepath.Join(from, "other")
	smallRun(t, first, 1)
	smallRun(t, second, 2)
	if err := os.Remove(filepath.Join(second, draws.LockFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
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
		if err := os.CopyFS(secondIn(path), os.DirFS(second)); err != nil {
			t.Fatal(err)
		}
		disk := filestest.New(filestest.Dead(at))
		err := (&runDir{disk: disk, path: path}).startAdopting()
		if marked := adopting(path); !isRun(path) && !marked {
			t.Fatalf("dead at call %d: there is no run any more", at)
		} else if marked {
			if err := (&runDir{disk: files.Disk{}, path: path}).adopt(); err != nil {
				t.Fatalf("dead at call %d: %v", at, err)
			}
			broken++
		} else if err != nil {
			continue // the first attempt is as it was
		}
		got, readErr := os.ReadFile(filepath.Join(path, "posterior/mu/0.0"))
		info, infoErr := draws.ReadInfo(path)
		if !bytes.Equal(got, want) || readErr != nil || infoErr != nil || info.Seed != 2 || exists(secondIn(path)) {
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
