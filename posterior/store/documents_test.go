package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"ppl/lang/types"
	"ppl/runtime/sys/files"
	"ppl/runtime/sys/files/filestest"
)

// TestManyArraysBegin checks that the start of a run makes one file system call per array, to create its directory.
func TestManyArraysBegin(t *testing.T) {
	calls := func(arrays int) int {
		l := Layout{Chains: 2}
		for i := range arrays {
			l.Posterior = append(l.Posterior, types.Variable{Name: fmt.Sprint("a", i)})
		}
		disk := filestest.New(filestest.Good)
		if _, err := Create(disk, filepath.Join(t.TempDir(), "m.run"), l, Options{}); err != nil {
			t.Fatal(err)
		}
		return disk.Calls()
	}
	few, many := calls(100), calls(1100)
	if many-few != 1000 {
		t.Errorf("%d calls for 100 arrays, %d for 1,100", few, many)
	}
}

// TestManyArraysAreSyncedAtOnce checks that a checkpoint of many arrays makes only a few sync calls, and that its draws
// can be read.
func TestManyArraysAreSyncedAtOnce(t *testing.T) {
	l := Layout{Chains: 2}
	for i := range manyArrays {
		l.Posterior = append(l.Posterior, types.Variable{Name: fmt.Sprint("a", i)})
	}
	var syncs atomic.Int64
	disk := filestest.New(func(_ int, op filestest.Op) error {
		if op == filestest.Sync {
			syncs.Add(1)
		}
		return nil
	})
	dir := filepath.Join(t.TempDir(), "m.run")
	w, err := Create(disk, dir, l, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for chain := range l.Chains {
		if err := w.Append(chain, count(chain, manyArrays), nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if n := syncs.Load(); n > 30 {
		t.Errorf("%d syncs of %d arrays", n, manyArrays)
	}
	run, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	last, err := run.Draws(l.Posterior[manyArrays-1].Name)
	if err != nil || len(last) != 2 || last[0][0] != manyArrays-1 || last[1][0] != manyArrays {
		t.Errorf("the last array has %v, %v", last, err)
	}
}

// TestDocumentsOfArrays checks that after the end of a run the documents of single arrays agree with .zmetadata, also
// if the run was killed before and resumed.
func TestDocumentsOfArrays(t *testing.T) {
	dir, l := filepath.Join(t.TempDir(), "m.run"), faultLayout(2)
	w := create(t, dir, l, Options{})
	appendTo := func(w *Writer, from, to int) {
		for d := from; d < to; d++ {
			for chain := range l.Chains {
				values, stats := faultRecord(l, chain, d)
				if err := w.Append(chain, values, stats); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	appendTo(w, 0, 5)
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if missing, _ := documents(t, dir); missing == 0 {
		t.Error("arrays were described one by one before the end")
	}
	resume := func(draws int) *Writer {
		t.Helper()
		w, err := Resume(files.Disk{}, dir, l, []int{draws, draws}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	w = resume(5) // as after a kill
	appendTo(w, 5, 9)
	if err := w.Close(Finished, nil); err != nil {
		t.Fatal(err)
	}
	complete := func(when string) {
		t.Helper()
		if missing, other := documents(t, dir); missing > 0 || other > 0 {
			t.Errorf("%s: %d documents are missing, %d are other than in .zmetadata", when, missing, other)
		}
	}
	complete("resumed")
	w = resume(9)
	appendTo(w, 9, 12)
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := resume(12).Close(Finished, nil); err != nil { // after a kill, with nothing left to draw
		t.Fatal(err)
	}
	complete("extended")
}

// TestFinishedIsWhole kills a run at each of its last 60 calls, and checks that a run that is marked as finished is
// complete.
func TestFinishedIsWhole(t *testing.T) {
	t.Parallel()
	l := faultLayout(2)
	end := func(disk *filestest.Faulty, dir string) error {
		w, err := Create(disk, dir, l, Options{})
		for d := 0; d < 3 && err == nil; d++ {
			for chain := range l.Chains {
				values, stats := faultRecord(l, chain, d)
				err = errors.Join(err, w.Append(chain, values, stats))
			}
		}
		if err == nil {
			err = w.Close(Finished, nil)
		}
		return err
	}
	whole := filestest.New(filestest.Good)
	if err := end(whole, filepath.Join(t.TempDir(), "m.run")); err != nil {
		t.Fatal(err)
	}
	const last = 60 // calls, of which the first come before the run has its status
	finished := 0
	for at := whole.Calls() - last; at <= whole.Calls(); at++ {
		dir := filepath.Join(t.TempDir(), "m.run")
		if err := end(filestest.New(filestest.Dead(at)), dir); err == nil {
			t.Fatalf("call %d did not fail", at)
		}
		if info, unread := ReadInfo(dir); unread == nil && info.Status == Finished {
			finished++
			if missing, other := documents(t, dir); missing > 0 || other > 0 {
				t.Errorf("killed at call %d: %d documents are missing, %d are other than in .zmetadata", at, missing,
					other)
			}
		}
	}
	if finished == 0 || finished == last+1 {
		t.Errorf("%d of %d runs were killed when they had finished", finished, last+1)
	}
}

// documents counts the documents in .zmetadata for which the file is missing or differs.
func documents(t *testing.T, dir string) (missing, other int) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, ".zmetadata"))
	var all struct{ Metadata map[string]any }
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil || len(all.Metadata) == 0 {
		t.Fatal(err, len(all.Metadata))
	}
	for key, doc := range all.Metadata {
		text, err := os.ReadFile(path(dir, key))
		if err != nil {
			missing++
			if !strings.Contains(key, "/.zarray") && strings.Count(key, "/") < 2 {
				t.Errorf("%s of a group is missing", key)
			}
			continue
		}
		var alone any
		if err := json.Unmarshal(text, &alone); err != nil || fmt.Sprint(alone) != fmt.Sprint(doc) {
			other++
		}
	}
	return missing, other
}
