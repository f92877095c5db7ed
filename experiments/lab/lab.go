// Package lab is what experiments share: runs of the ppl command, their draws, tables in Markdown. An experiment is a
// command of its own below experiments/: it runs ppl as a user would, and writes its results, with the command that
// repeats them, to its own directory.
package lab

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"ppl/posterior/report"
	"ppl/posterior/store"
)

// A Bench has a ppl to run and a place for run directories.
type Bench struct {
	dir   string
	ppl   string
	paces map[string]pace
}

// Open builds ppl from the module that the experiment is run in. Close throws it away with all runs.
func Open() (*Bench, error) {
	dir, err := os.MkdirTemp("", "ppl-experiment-")
	if err != nil {
		return nil, err
	}
	ppl, err := Built("", dir)
	return &Bench{dir, ppl, map[string]pace{}}, err
}

// Close removes everything.
func (b *Bench) Close() error { return os.RemoveAll(b.dir) }

// A Run is one finished run: its summary, its draws, and the processor time of the whole command, which a busy machine
// inflates less than it does the time on the wall.
type Run struct {
	report.Report
	Thin   int     // iterations per kept draw
	Step   float64 // of the coldest rung, in whitened coordinates
	CPU    time.Duration
	Memory int64 // the most, in bytes
	run    *store.Run
	dir    string
}

// Sample runs `ppl sample MODEL --seed S` with more arguments. A run that fails is an error with what ppl said.
func (b *Bench) Sample(model string, seed int, args ...string) (*Run, error) {
	dir, err := os.MkdirTemp(b.dir, "run-")
	if err != nil {
		return nil, err
	}
	t, err := b.timed(append([]string{"sample", model, "--quiet", "--seed", strconv.Itoa(seed), "--out", dir}, args...))
	if err != nil {
		return nil, err
	}
	r := &Run{dir: dir, CPU: t.CPU, Memory: t.Memory}
	if r.run, err = store.Open(dir); err != nil {
		return nil, err
	}
	r.Thin, r.Step = max(r.run.Info.Report.Thin, 1), float64(r.run.Info.Report.StepSize)
	r.Report, err = report.FromRun(r.run)
	return r, err
}

// Command runs ppl and gives what it prints, and its processor time. One that fails is an error with what ppl said.
func (b *Bench) Command(args ...string) ([]byte, time.Duration, error) {
	t, err := b.timed(args)
	return t.Printed, t.CPU, err
}

func (b *Bench) timed(args []string) (Timed, error) {
	t, err := timed(exec.Command(b.ppl, args...))
	if err == nil && t.Exit != 0 {
		err = fmt.Errorf("%s %v: exit status %d\n%s", b.ppl, args, t.Exit, t.Said)
	}
	return t, err
}

// CommandWithin is Command with a limit of processor time, at which the system ends the process; overtime reports that
// it did.
func (b *Bench) CommandWithin(limit time.Duration, args ...string) (cpu time.Duration, overtime bool, err error) {
	limited := fmt.Sprintf(`ulimit -t %d; exec "$0" "$@"`, int(math.Ceil(limit.Seconds())))
	t, err := timed(exec.Command("sh", append([]string{"-c", limited, b.ppl}, args...)...))
	if err == nil && t.Exit != 0 {
		overtime = t.CPU >= limit
		err = fmt.Errorf("%s %v: exit status %d\n%s", b.ppl, args, t.Exit, t.Said)
	}
	return t.CPU, overtime, err
}

// Fit runs ppl with arguments, of which the first is the verb, on a model and a file of data, and gives the run's
// directory and the processor time. The next call replaces the run.
func (b *Bench) Fit(args, model, data string, seed int) (dir string, cpu time.Duration, err error) {
	words := strings.Fields(args)
	dir = b.Path("run")
	_, cpu, err = b.Command(append([]string{words[0], model, "--data", b.Path(data), "--seed", strconv.Itoa(seed),
		"--out", dir, "--overwrite", "--quiet"}, words[1:]...)...)
	return dir, cpu, err
}

// JSON writes a value to a file for runs to read, as File does a text.
func (b *Bench) JSON(name string, value any) (string, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return "", err
	}
	return b.File(name, string(text))
}

// Path returns where a file or a run of that name lies.
func (b *Bench) Path(name string) string { return filepath.Join(b.dir, name) }

// File writes a file for runs to read, replacing one of that name, and returns its path.
func (b *Bench) File(name, text string) (string, error) {
	path := b.Path(name)
	return path, os.WriteFile(path, []byte(text), 0o666)
}

// Draws of a variable, by chain, flattened.
func (r *Run) Draws(name string) ([][]float64, error) { return r.run.Draws(name) }

// Discard removes the run's draws from disk.
func (r *Run) Discard() error { return os.RemoveAll(r.dir) }

// Of lists the parameters of one variable.
func (r *Run) Of(variable string) (all []report.Parameter) {
	for _, p := range r.Parameters {
		if p.Variable == variable {
			all = append(all, p)
		}
	}
	return all
}

// Machine describes where the experiment ran.
func Machine() string {
	return fmt.Sprintf("%s/%s, %d cores, %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
}
