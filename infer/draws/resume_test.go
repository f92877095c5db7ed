package draws

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ppl/runtime/files"
)

// A lock is held by one at a time. While it is held the run goes on; once its holder has ended, it was killed.
func TestLock(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "m.run")
	w := create(t, dir, testLayout(), Options{})
	lock, err := TakeLock(dir)
	if err != nil {
		t.Fatal(err)
	}
	var locked ErrLocked
	if _, err := TakeLock(dir); !errors.As(err, &locked) || locked.Holder.PID != os.Getpid() {
		t.Errorf("a second lock: %v", err)
	}
	status := func() Status {
		r, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		return r.Info.Status
	}
	if s := status(); s != Running {
		t.Errorf("locked: status %s", s)
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	if s := status(); s != Killed {
		t.Errorf("after its process: status %s", s)
	}
	if err := w.Close(Finished, nil); err != nil || status() != Finished {
		t.Errorf("closed: %v, status %s", err, status())
	}
}

// A run whose process was killed is taken back to the draws of a checkpoint, chains of different lengths, within a
// chunk, at its end and before the first draw, and goes on: every array is that of a run that was not killed.
func TestResume(t *testing.T) {
	l, chunk := testLayout(), newWriter(files.Disk{}, "", testLayout(), Options{}).chunk
	total := 2*chunk + 7
	want := drawsOf(t, l, func(w *Writer) {
		for chain := range l.Chains {
			appendDraws(t, w, l, chain, 0, total)
		}
	})
	for _, counts := range [][]int{{0, 0, 0}, {3, chunk, chunk + 5}, {2 * chunk, 2*chunk - 1, 1}} {
		dir := filepath.Join(t.TempDir(), "m.run")
		w := create(t, dir, l, Options{Overwrite: true})
		for chain := range l.Chains {
			appendDraws(t, w, l, chain, 0, min(counts[chain]+9, total)) // later than the checkpoint, and flushed
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		w, err := Resume(files.Disk{}, dir, l, counts, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r, err := Open(dir); err != nil || r.Info.Draws != min(counts[0], counts[1], counts[2]) {
			t.Errorf("%v: %d draws after resuming, %v", counts, r.Info.Draws, err)
		}
		for chain := range l.Chains {
			appendDraws(t, w, l, chain, counts[chain], total)
		}
		if err := w.Close(Finished, nil); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, allDraws(t, dir), cmpopts.EquateNaNs()); d != "" {
			t.Errorf("%v: %s", counts, d)
		}
	}
}

// Other arrays, or another number of chains, are refused.
func TestResumeRefusesOtherArrays(t *testing.T) {
	l := testLayout()
	dir := filepath.Join(t.TempDir(), "m.run")
	if err := create(t, dir, l, Options{}).Close(Interrupted, nil); err != nil {
		t.Fatal(err)
	}
	other := testLayout()
	other.Posterior[1].Shape = []int{5}
	for _, c := range []struct {
		layout Layout
		counts []int
	}{{other, []int{0, 0, 0}}, {l, []int{0}}} {
		if _, err := Resume(files.Disk{}, dir, c.layout, c.counts, Options{}); err == nil {
			t.Errorf("%v went on", c.counts)
		}
	}
}

// A run that has been announced has no draws; Create follows, and nothing is left of it when it is cleared.
func TestAnnounce(t *testing.T) {
	dir, l := t.TempDir(), testLayout()
	if err := Announce(files.Disk{}, dir, Options{Model: "m.ppl", Resolved: map[string]int{"draws": 7}}); err != nil {
		t.Fatal(err)
	}
	var options struct{ Draws int }
	info, err := ReadOptions(dir, &options)
	if err != nil || options.Draws != 7 || info.Model != "m.ppl" {
		t.Errorf("%+v, %+v, %v", options, info, err)
	}
	if err := SetStatus(files.Disk{}, dir, Interrupted, nil); err != nil {
		t.Fatal(err)
	}
	var none ErrNoDraws
	if _, err := Open(dir); !errors.As(err, &none) || none.Info.Status != Interrupted {
		t.Errorf("before the first draw: %v", err)
	}
	if err := create(t, dir, l, Options{Overwrite: true}).Close(Finished, nil); err != nil {
		t.Fatal(err)
	}
	if err := Clear(files.Disk{}, dir); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

func drawsOf(t *testing.T, l Layout, fill func(w *Writer)) map[string][][]float64 {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "m.run")
	w := create(t, dir, l, Options{})
	fill(w)
	if err := w.Close(Finished, nil); err != nil {
		t.Fatal(err)
	}
	return allDraws(t, dir)
}

func allDraws(t *testing.T, dir string) map[string][][]float64 {
	t.Helper()
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][][]float64{}
	for _, v := range r.Layout.Posterior {
		if all[v.Name], err = r.Draws(v.Name); err != nil {
			t.Fatal(err)
		}
	}
	for _, v := range r.Layout.SampleStats {
		if all[v.Name], err = r.Stats(v.Name); err != nil {
			t.Fatal(err)
		}
	}
	return all
}
