// Package lab has common functions of experiments: runs of the ppl command, their draws, and tables in Markdown. An
// experiment is a command below experiments/. It runs ppl as a user would, and writes its results to its directory,
// together with the command that repeats them.
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

	"ppl/posterior/diagnose"
	"ppl/posterior/store"
	"ppl/posterior/summary"
)

// A Bench has a ppl program and a temporary directory for runs.
type Bench struct {
	dir   string
	ppl   string
	paces map[string]pace
}

// Open builds ppl from the module of the experiment. Close removes the program and all runs.
func Open() (*Bench, error) {
	dir, err := os.MkdirTemp("", "ppl-experiment-")
	if err != nil {
		return nil, err
	}
	ppl, err := Built("", dir)
	return &Bench{dir, ppl, map[string]pace{}}, err
}

// Close removes the program and all runs.
func (b *Bench) Close() error { return os.RemoveAll(b.dir) }

// A Run is a finished run: its summary, its draws, and the processor time of the command, which other load affects less
// than elapsed time.
type Run struct {
	summary.Report
	Thin   int     // iterations per stored draw
	Step   float64 // step size of the coldest rung, in whitened coordinates
	CPU    time.Duration
	Memory int64 // peak memory in bytes
	run    *store.Run
	dir    string
}

// Sample runs `ppl sample MODEL --seed S` with more arguments. The error of a failed run contains the output of ppl.
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
	r.Report, err = diagnose.Summarize(r.run, summary.View{})
	return r, err
}

// Command runs ppl, and returns its standard output and processor time. The error of a failed command contains the
// output of ppl.
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

// CommandWithin is Command with a limit of processor time, at which the system ends the process. overtime reports
// whether the limit was reached.
func (b *Bench) CommandWithin(limit time.Duration, args ...string) (cpu time.Duration, overtime bool, err error) {
	limited := fmt.Sprintf(`ulimit -t %d; exec "$0" "$@"`, int(math.Ceil(limit.Seconds())))
	t, err := timed(exec.Command("sh", append([]string{"-c", limited, b.ppl}, args...)...))
	if err == nil && t.Exit != 0 {
		overtime = t.CPU >= limit
		err = fmt.Errorf("%s %v: exit status %d\n%s", b.ppl, args, t.Exit, t.Said)
	}
	return t.CPU, overtime, err
}

// Fit runs ppl on a model and a data file. The first word of args is the verb. Fit returns the directory of the run and
// the processor time. The next call overwrites the run.
func (b *Bench) Fit(args, model, data string, seed int) (dir string, cpu time.Duration, err error) {
	words := strings.Fields(args)
	dir = b.Path("run")
	_, cpu, err = b.Command(append([]string{words[0], model, "--data", b.Path(data), "--seed", strconv.Itoa(seed),
		"--out", dir, "--overwrite", "--quiet"}, words[1:]...)...)
	return dir, cpu, err
}

// JSON writes a value as JSON to a file, like File.
func (b *Bench) JSON(name string, value any) (string, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return "", err
	}
	return b.File(name, string(text))
}

// Path returns the path of a file or run with the given name.
func (b *Bench) Path(name string) string { return filepath.Join(b.dir, name) }

// File writes or overwrites a file for runs, and returns its path.
func (b *Bench) File(name, text string) (string, error) {
	path := b.Path(name)
	return path, os.WriteFile(path, []byte(text), 0o666)
}

// Draws returns the draws of a variable by chain, flattened.
func (r *Run) Draws(name string) ([][]float64, error) { return r.run.Draws(name) }

// Discard removes the run's directory.
func (r *Run) Discard() error { return os.RemoveAll(r.dir) }

// Of lists the elements of one variable.
func (r *Run) Of(variable string) (all []summary.Parameter) {
	for _, p := range r.Parameters {
		if p.Variable == variable {
			all = append(all, p)
		}
	}
	return all
}

// Machine describes the machine of the experiment.
func Machine() string {
	return fmt.Sprintf("%s/%s, %d cores, %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
}
