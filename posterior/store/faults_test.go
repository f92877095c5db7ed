package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ppl/lang/types"
	"ppl/runtime/sys/files"
	"ppl/runtime/sys/files/filestest"
)

func faultLayout(chains int) Layout {
	return Layout{Chains: chains, Posterior: []types.Variable{{Name: "mu"}, {Name: "theta", Shape: []int{2}}},
		SampleStats: []types.Variable{{Name: "lp"}},
		Observed:    []Observed{{types.Variable{Name: "y", Shape: []int{2}, Dims: []string{"N"}}, []float64{1.5, -2}}}}
}

const allFaultDraws = 13

func faultRecord(l Layout, chain, d int) (values, stats []float64) {
	values, _ = record(l, chain, d)
	return values, []float64{-float64(d) / 3}
}

// onward appends the draws from number announced on, in three steps with a flush between them. It returns the number of
// draws that are announced: those that a caller would have reported as saved before the disk failed.
func onward(w *Writer, l Layout, announced int) (int, error) {
	from := announced
	for _, to := range []int{5, 10, allFaultDraws} {
		for d := from; d < to; d++ {
			for chain := range l.Chains {
				values, stats := faultRecord(l, chain, d)
				if err := w.Append(chain, values, stats); err != nil {
					return announced, err
				}
			}
		}
		if from = max(from, to); to == allFaultDraws {
			break
		}
		if err := w.Flush(); err != nil {
			return announced, errors.Join(err, w.Close(Failed, err))
		}
		announced = max(announced, to)
	}
	w.Report(SamplerReport{Warmup: 7})
	if err := w.Close(Finished, nil); err != nil {
		return announced, err
	}
	return allFaultDraws, nil
}

func beginning(disk files.System, dir string, l Layout) (announced int, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return 0, err
	}
	o := Options{Overwrite: true, Model: "m.ppl", Source: []byte("mu ~ Normal(0, 1)\n")}
	if err := Announce(disk, dir, o); err != nil {
		return 0, err
	}
	w, err := Create(disk, dir, l, o)
	if err != nil {
		return 0, err
	}
	return onward(w, l, 0)
}

// goingOn resumes a run at the last announced draw, as from a checkpoint, or begins it if nothing was announced.
func goingOn(disk files.System, dir string, l Layout, announced int) (int, error) {
	if announced == 0 {
		return beginning(disk, dir, l)
	}
	w, err := Resume(disk, dir, l, slices.Repeat([]int{announced}, l.Chains), Options{})
	if err != nil {
		return announced, err
	}
	return onward(w, l, announced)
}

// readable checks that at least the announced draws can be read, and that all readable draws are those appended.
func readable(dir string, l Layout, announced int) error {
	r, err := Open(dir)
	if err != nil && announced == 0 {
		return nil // Create makes it again
	}
	if err != nil {
		return err
	}
	if r.Info.Draws < announced {
		return fmt.Errorf("%d draws can be read of %d announced", r.Info.Draws, announced)
	}
	mu, err := r.Draws("mu")
	if err != nil {
		return err
	}
	theta, err := r.Draws("theta")
	if err != nil {
		return err
	}
	lp, err := r.Stats("lp")
	if err != nil {
		return err
	}
	for chain := range l.Chains {
		for d := range r.Info.Draws {
			values, stats := faultRecord(l, chain, d)
			if mu[chain][d] != values[0] || theta[chain][2*d] != values[1] || theta[chain][2*d+1] != values[2] ||
				lp[chain][d] != stats[0] {
				return fmt.Errorf("draw %d of chain %d is not what was appended", d, chain)
			}
		}
	}
	return nil
}

// faultPlans returns the ways in which a disk can fail from some call on.
func faultPlans() map[string]func(at int) filestest.Plan {
	return map[string]func(int) filestest.Plan{
		"full": filestest.Full, "one call fails": filestest.Once, "dead": filestest.Dead}
}

// everyCall runs attempt once for each call that can fail and each way to fail, in a directory made by prepare, and
// checks the result with after. Unless PPL_SLOW is set, only one in 53 calls fails.
func everyCall(t *testing.T, prepare func(dir string), attempt func(disk files.System, dir string) (announced int,
	err error), after func(dir string, announced int) error) {
	t.Helper()
	step := 53
	if os.Getenv("PPL_SLOW") != "" {
		step = 1
	}
	for kind, plan := range faultPlans() {
		failures := 0
		for at := 1; ; at += step {
			dir := filepath.Join(t.TempDir(), "m.run")
			prepare(dir)
			disk := filestest.New(plan(at))
			announced, err := attempt(disk, dir)
			if err != nil {
				failures++
			}
			if e := after(dir, announced); e != nil {
				t.Fatalf("%s, call %d (%v): %v", kind, at, err, e)
			}
			if disk.Calls() < at {
				break
			}
		}
		if failures*step < 50 {
			t.Errorf("%s: only %d failures in steps of %d calls", kind, failures, step)
		}
	}
}

// faultChains returns numbers of chains with separate and with shared files.
func faultChains() []int { return []int{2, ownFiles + 8} }

// TestRunOnABadDisk checks for a failure of any file system call that announced draws can be read, and that the run can
// be continued without the fault and then has the draws of a run without it.
func TestRunOnABadDisk(t *testing.T) {
	for _, chains := range faultChains() {
		l := faultLayout(chains)
		begin := func(disk files.System, dir string) (int, error) { return beginning(disk, dir, l) }
		everyCall(t, func(string) {}, begin,
			func(dir string, announced int) error {
				if err := readable(dir, l, announced); err != nil {
					return err
				}
				now, err := goingOn(filestest.New(filestest.Good), dir, l, announced)
				return errors.Join(err, readable(dir, l, now))
			})
	}
}

// TestResumeOnABadDisk checks the same for a failure while a run is resumed.
func TestResumeOnABadDisk(t *testing.T) {
	for _, chains := range faultChains() {
		l := faultLayout(chains)
		prepare := func(dir string) {
			w, err := Create(filestest.New(filestest.Good), dir, l, Options{})
			if err != nil {
				t.Fatal(err)
			}
			for d := range 8 {
				for chain := range l.Chains {
					values, stats := faultRecord(l, chain, d)
					if err := w.Append(chain, values, stats); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := w.Close(Interrupted, nil); err != nil {
				t.Fatal(err)
			}
		}
		const checkpoint = 5 // of the 8 draws that are there
		resume := func(disk files.System, dir string) (int, error) { return goingOn(disk, dir, l, checkpoint) }
		everyCall(t, prepare, resume,
			func(dir string, announced int) error {
				if err := readable(dir, l, announced); err != nil {
					return err
				}
				now, err := goingOn(filestest.New(filestest.Good), dir, l, announced)
				return errors.Join(err, readable(dir, l, now))
			})
	}
}

// TestExtendOnABadDisk checks that a failure while predictions are written leaves the draws readable, and the
// predictions either complete or absent.
func TestExtendOnABadDisk(t *testing.T) {
	l := faultLayout(2)
	extend := func(disk files.System, dir string) (int, error) {
		w, err := Extend(disk, dir, Replicates{Variables: []types.Variable{{Name: "y", Shape: []int{2}}}})
		if err != nil {
			return allFaultDraws, err
		}
		for chain := range l.Chains {
			for d := range allFaultDraws {
				if err := w.Append(chain, []float64{float64(d), float64(chain)}, nil); err != nil {
					return allFaultDraws, err
				}
			}
		}
		return allFaultDraws, w.Close(Finished, nil)
	}
	whole := func(dir string, must bool) error {
		r, err := Open(dir)
		if err != nil {
			return err
		}
		if len(r.Layout.Predictive) == 0 && !must {
			return nil
		}
		y, err := r.Predictive("y")
		if err != nil {
			return err
		}
		if n := len(y); n != 2 || len(y[1]) != 2*allFaultDraws || y[1][2*allFaultDraws-2] != allFaultDraws-1 {
			return fmt.Errorf("predictions are cut short: %v", y)
		}
		return nil
	}
	everyCall(t, func(dir string) {
		if _, err := beginning(filestest.New(filestest.Good), dir, l); err != nil {
			t.Fatal(err)
		}
	}, extend, func(dir string, announced int) error {
		if err := errors.Join(readable(dir, l, announced), whole(dir, false)); err != nil {
			return err
		}
		_, err := extend(filestest.New(filestest.Good), dir)
		return errors.Join(err, readable(dir, l, announced), whole(dir, true))
	})
}
