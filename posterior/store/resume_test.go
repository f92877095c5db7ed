package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ppl/runtime/sys/files"
)

// sign is the interval at which locks in tests are renewed.
const sign = 5 * time.Millisecond

func take(t *testing.T, dir string) (*Lock, error) {
	return TakeLock(t.Context(), dir, sign, func(line string) { t.Log(line) })
}

// foreign writes the lock of a process on another machine that has renewed it so many times.
func foreign(t *testing.T, dir string, signs int) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, LockFile), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		t.Error(err)
		return
	}
	defer f.Close()
	if err := writeHolder(f, Holder{Process{Host: "far", Boot: "another", PID: 7,
		Started: time.Now().Add(100 * time.Hour)}, signs}); err != nil { // by its clock
		t.Error(err)
	}
}

// TestLockOfAnotherMachine checks that the lock of a process on another machine is taken over if that process stops
// renewing it, with and without a lock of the file system, and that Lost reports it to the former holder, if that still
// runs.
func TestLockOfAnotherMachine(t *testing.T) {
	for name, kept := range map[string]bool{"kept": true, "unknown": false} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			var first *Lock
			if kept {
				var err error
				if first, err = TakeLock(t.Context(), dir, time.Hour, nil); err != nil {
					t.Fatal(err)
				}
			}
			foreign(t, dir, 3)
			var said []string
			second, err := TakeLock(t.Context(), dir, sign, func(line string) { said = append(said, line) })
			if err != nil {
				t.Fatal(err)
			}
			if len(said) != 2 || !strings.Contains(said[0], "process 7 on far") ||
				!strings.Contains(said[1], "is taken over") {
				t.Errorf("said %q", said)
			}
			if first != nil && !first.taken() {
				t.Error("who had the lock does not know that it has gone")
			}
			if second.taken() {
				t.Error("who has the lock thinks that it has gone")
			}
			for n := range 1000 { // a sign of the second may come in between
				foreign(t, dir, n)
				select {
				case <-second.ended:
					return
				case <-time.After(sign):
				}
			}
			t.Error("who had the lock has not been told")
		})
	}
}

// TestLockOfALivingMachine checks that a process that renews its lock keeps it, and that a released lock is taken
// without waiting.
func TestLockOfALivingMachine(t *testing.T) {
	dir := t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for n := 1; ctx.Err() == nil; n++ {
			foreign(t, dir, n)
			time.Sleep(sign)
		}
	}()
	for !elsewhereHolds(dir) {
		time.Sleep(sign)
	}
	var locked ErrLocked
	if _, err := TakeLock(t.Context(), dir, time.Second/5, func(string) {}); !errors.As(err, &locked) ||
		locked.Holder.Host != "far" {
		t.Errorf("another machine's lock: %v", err)
	}
	stop()
	<-ended
	foreign(t, dir, 1)
	given := time.AfterFunc(3*sign, func() { os.Truncate(filepath.Join(dir, LockFile), 0) })
	defer given.Stop()
	lock, err := TakeLock(t.Context(), dir, time.Second/5, func(line string) {
		if strings.Contains(line, "no sign") {
			t.Error(line)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := lock.Release(); err != nil || len(readLock(dir)) > 0 {
		t.Errorf("given back: %v, %s", err, readLock(dir))
	}
	foreign(t, dir, 1)
	ctx, stop = context.WithCancel(t.Context())
	stop()
	if _, err := TakeLock(ctx, dir, time.Hour, func(string) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted while it waits: %v", err)
	}
}

func elsewhereHolds(dir string) bool { return holder(dir).elsewhere() }

// TestLock checks that only one process holds a lock, that a run counts as running while its lock is held, and as
// killed once the holder has ended.
func TestLock(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "m.run")
	w := create(t, dir, testLayout(), Options{})
	lock, err := take(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	var locked ErrLocked
	if _, err := take(t, dir); !errors.As(err, &locked) || locked.Holder.PID != os.Getpid() {
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

// TestResume resumes runs at the draws of a checkpoint, with chains of different lengths that end within a chunk, at
// its end and before the first draw, and checks that every array is that of a run without interruption.
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

// TestResumeKeepsChunks checks that a run resumed with another number of draws keeps its size of chunks.
func TestResumeKeepsChunks(t *testing.T) {
	const begun = 100_000
	l, dir := testLayout(), filepath.Join(t.TempDir(), "m.run")
	w := create(t, dir, l, Options{Draws: begun})
	chunk := begun / mostChunks
	for chain := range l.Chains {
		appendDraws(t, w, l, chain, 0, chunk+5)
	}
	if err := w.Close(Interrupted, nil); err != nil {
		t.Fatal(err)
	}
	counts := make([]int, l.Chains)
	for chain := range counts {
		counts[chain] = chunk + 3
	}
	w, err := Resume(files.Disk{}, dir, l, counts, Options{Draws: 1000})
	if err != nil {
		t.Fatal(err)
	}
	total := 2*chunk + 1
	for chain := range l.Chains {
		appendDraws(t, w, l, chain, counts[chain], total)
	}
	if err := w.Close(Finished, nil); err != nil {
		t.Fatal(err)
	}
	want := drawsOf(t, l, func(w *Writer) {
		for chain := range l.Chains {
			appendDraws(t, w, l, chain, 0, total)
		}
	})
	if d := cmp.Diff(want, allDraws(t, dir), cmpopts.EquateNaNs()); d != "" {
		t.Error(d)
	}
	if files, err := os.ReadDir(filepath.Join(dir, "posterior", "mu")); err != nil || len(files) != 2+3*l.Chains {
		t.Errorf("%d files, %v", len(files), err)
	}
}

// TestResumeRefusesOtherArrays checks that arrays of other shapes and another number of chains are refused.
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

// TestAnnounce checks that an announced run has no draws, that Create can follow, and that Clear removes it completely.
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
