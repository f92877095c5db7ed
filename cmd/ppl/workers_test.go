//go:build unix

package main

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"ppl/app/rundir"
	"ppl/cmd/ppl/terminal"
	"ppl/numbers"
)

// A started process is a running ppl, with its output so far.
type started struct {
	cmd   *exec.Cmd
	mutex sync.Mutex
	out   strings.Builder
}

func (p *started) Write(b []byte) (int, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.out.Write(b)
}

func (p *started) said() string {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.out.String()
}

// begin starts ppl in a directory. The process is killed if it does not end in time.
func begin(t *testing.T, dir, secret string, args ...string) *started {
	t.Helper()
	endAgain()
	path, err := exec.LookPath("ppl")
	if err != nil {
		t.Skip(err)
	}
	p := &started{cmd: exec.CommandContext(t.Context(), path, args...)}
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = dir, p, p
	p.cmd.Env = append(os.Environ(), "PPL_SECRET="+secret)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(2*time.Minute, func() { _ = p.cmd.Process.Kill() })
	t.Cleanup(func() { timer.Stop() })
	return p
}

// ends waits for the exit code and the expected message.
func (p *started) ends(t *testing.T, code int, says string) {
	t.Helper()
	if err := p.cmd.Wait(); exitCode(err) != code || !regexp.MustCompile(says).MatchString(p.said()) {
		t.Errorf("%v: %v, want code %d and %q\n%s", p.cmd.Args, err, code, says, p.said())
	}
}

// match waits for output that matches a pattern, and returns its first group.
func (p *started) match(t *testing.T, pattern string) string {
	t.Helper()
	for range 3000 {
		if found := regexp.MustCompile(pattern).FindStringSubmatch(p.said()); found != nil {
			return found[len(found)-1]
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("not said: %s\n%s", pattern, p.said())
	return ""
}

const jobSecret = "a secret of more than sixteen letters"

// coordinate starts ppl sample with workers, and returns the process and its address.
func coordinate(t *testing.T, workers int, args ...string) (p *started, address string) {
	t.Helper()
	p = begin(t, "", jobSecret, append([]string{"sample", "--workers", fmt.Sprint(workers), "--listen", "127.0.0.1:0"},
		args...)...)
	return p, p.match(t, `waiting for \d+ workers at (\S+)`)
}

// work starts a worker in an empty directory.
func work(t *testing.T, address string, args ...string) *started {
	t.Helper()
	return begin(t, t.TempDir(), jobSecret, append([]string{"worker", "--connect", address}, args...)...)
}

// sampled samples a run with the given number of workers; 0 means a single process.
func sampled(t *testing.T, workers int, args ...string) {
	t.Helper()
	if workers == 0 {
		begin(t, "", "", append([]string{"sample"}, args...)...).ends(t, 0, "")
		return
	}
	p, address := coordinate(t, workers, args...)
	var others []*started
	for range workers {
		others = append(others, work(t, address))
	}
	p.ends(t, 0, fmt.Sprintf(`%d ranks by TCP`, workers+1))
	for _, w := range others {
		w.ends(t, 0, `this is rank \d of `)
	}
}

// partsModel writes a regression on Parquet files, with enough rows for lists that processes read from a file.
func partsModel(t *testing.T) string {
	t.Helper()
	type row struct {
		A, B float64
		Y    int64
	}
	dir, rows := t.TempDir(), make([]row, numbers.Many/2+100)
	for part := range 2 {
		for i := range rows {
			rows[i] = row{math.Sin(float64(i)), math.Cos(float64(i * i)), int64((i + part) % 3 / 2)}
		}
		if err := parquet.WriteFile(filepath.Join(dir, fmt.Sprint("part-", part, ".parquet")), rows); err != nil {
			t.Fatal(err)
		}
	}
	model := filepath.Join(dir, "parts.ppl")
	text := "data Y[N]: int from \"part-*.parquet\"\n" +
		"data X[N, K] from \"part-*.parquet\" columns \"A\", \"B\"\n" +
		"a ~ Normal(0, 2)\nb[K] ~ Normal(0, 1)\nmu = X @ b\nY[i in N] ~ Bernoulli(logits = a + mu[i])\n"
	if err := os.WriteFile(model, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return model
}

// A run with workers, who have neither the model nor its data, has the files of one process, whatever their number:
// one that shares rows, also of Parquet files, and one that shares the walkers of a ladder. So has one that is
// extended with another number.
func TestWorkers(t *testing.T) {
	schools, err := filepath.Abs("../../examples/eight_schools.ppl")
	if err != nil {
		t.Fatal(err)
	}
	for name, flags := range map[string][]string{
		"rows":   {rankModel(t), "--chains", "2", "--warmup", "30"},
		"parts":  {partsModel(t), "--chains", "2", "--warmup", "20", "--sampler", "nuts"},
		"ladder": {schools, "--chains", "8", "--warmup", "40", "--sampler", "renhd", "--set", "replicas=6"},
	} {
		t.Run(name, func(t *testing.T) {
			flags, dir := append(flags, "--seed", "3", "--threads", "1"), t.TempDir()
			with := func(more ...string) []string { return append(append([]string(nil), flags...), more...) }
			whole := filepath.Join(dir, "whole")
			sampled(t, 0, with("--draws", "20", "--out", whole)...)
			all := []int{1, 2, 4}
			if testing.Short() {
				all = []int{2}
			}
			for _, n := range all {
				shared := filepath.Join(dir, fmt.Sprint(n))
				sampled(t, n, with("--draws", "20", "--out", shared)...)
				sameArrays(t, whole, shared)
			}
			again := filepath.Join(dir, "again")
			sampled(t, 2, with("--draws", "8", "--out", again)...)
			sampled(t, 1, with("--draws", "20", "--resume", "--out", again)...)
			sameArrays(t, whole, again)
		})
	}
}

// lengthy starts a run with two workers, and waits for its first checkpoint.
func lengthy(t *testing.T, model, dir string) (p *started, workers [2]*started) {
	t.Helper()
	p, address := coordinate(t, 2, lengthyFlags(model, dir)...)
	workers = [2]*started{work(t, address), work(t, address)}
	for range 3000 {
		if rundir.Exists(filepath.Join(dir, "checkpoint")) {
			return p, workers
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("no checkpoint\n%s", p.said())
	return nil, workers
}

// lengthyFlags returns the flags of a run whose warm-up takes several times as long as the second before its first
// checkpoint.
func lengthyFlags(model, dir string) []string {
	return []string{model, "--seed", "3", "--chains", "2", "--warmup", "12000", "--draws", "20", "--threads",
		"1", "--resume", "--out", dir}
}

func (p *started) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		t.Error(err)
	}
}

// Whichever process of a run is ended, all end, with a message and an exit code. The run continues with another number
// of workers to the same bytes as one process.
func TestWorkersEnd(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	model, whole := rankModel(t), filepath.Join(t.TempDir(), "whole")
	sampled(t, 0, lengthyFlags(model, whole)...)
	const stopped = "stopped before every chain had a draw"
	gone := `the worker at 127\.0\.0\.1:\d+ \(.*, process %d\) has gone`
	for name, end := range map[string]func(t *testing.T, p *started, workers [2]*started){
		"a worker is killed": func(t *testing.T, p *started, workers [2]*started) {
			workers[0].signal(t, syscall.SIGKILL)
			said := fmt.Sprintf(gone, workers[0].cmd.Process.Pid)
			p.ends(t, terminal.CodeFailed, `(?m)^note: ppl sample --resume \S+ continues from the last checkpoint
ppl sample: `+said)
			workers[1].ends(t, terminal.CodeFailed,
				"^(note.*\n)*ppl worker: the coordinator at .*: the run has ended: "+said)
			workers[0].ends(t, -1, "")
		},
		"the coordinator is killed": func(t *testing.T, p *started, workers [2]*started) {
			p.signal(t, syscall.SIGKILL)
			for _, w := range workers {
				w.ends(t, terminal.CodeFailed, `(?m)^ppl worker: the coordinator at \S+ has gone`)
			}
			p.ends(t, -1, "")
		},
		"Ctrl-C on a worker": func(t *testing.T, p *started, workers [2]*started) {
			workers[1].signal(t, syscall.SIGINT)
			for _, w := range workers {
				w.ends(t, terminal.CodeInterrupted, "")
			}
			p.ends(t, terminal.CodeInterrupted, stopped)
		},
		"Ctrl-C on the coordinator": func(t *testing.T, p *started, workers [2]*started) {
			p.signal(t, syscall.SIGINT)
			for _, w := range workers {
				w.ends(t, terminal.CodeInterrupted, "")
			}
			p.ends(t, terminal.CodeInterrupted, stopped)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			p, workers := lengthy(t, model, dir)
			end(t, p, workers)
			sampled(t, 1, lengthyFlags(model, dir)...)
			sameArrays(t, whole, dir)
		})
	}
}

// These problems occur before the run begins or while workers join: a different secret, a worker that comes too late,
// and processes that end while waiting.
func TestWorkersJoin(t *testing.T) {
	model := rankModel(t)
	flags := []string{model, "--seed", "3", "--chains", "2", "--warmup", "5", "--draws", "2", "--no-keep"}
	flags[len(flags)-1] = "--out=" + filepath.Join(t.TempDir(), "run")
	p, address := coordinate(t, 2, flags...)
	begin(t, "", "another secret of some length", "worker", "--connect", address).ends(t, terminal.CodeFailed,
		`ppl worker: the coordinator at \S+: its secret differs`)
	p.match(t, `refused 127\.0\.0\.1:\d+: its secret differs`)
	waiting := work(t, address)
	waiting.match(t, "waiting for the other workers")
	waiting.signal(t, syscall.SIGINT)
	waiting.ends(t, terminal.CodeInterrupted, "")
	first, second := work(t, address), work(t, address)
	first.ends(t, 0, `this is rank \d of 3`)
	second.ends(t, 0, `this is rank \d of 3`)
	p.ends(t, 0, "draws are in")
	work(t, address, "--wait", "300ms").ends(t, terminal.CodeFailed,
		`(?m)^ppl worker: no coordinator has answered at \S+: 300ms have passed \(--wait\)`)

	p, address = coordinate(t, 2, append(flags, "--overwrite")...)
	waiting = work(t, address)
	waiting.match(t, "waiting for the other workers")
	p.signal(t, syscall.SIGINT)
	p.ends(t, terminal.CodeInterrupted, "")
	waiting.ends(t, terminal.CodeFailed,
		"the coordinator at .* has gone|the run has not begun: 1 of 2 workers have connected")

	p, address = coordinate(t, 2, append(flags, "--overwrite", "--wait", "2s")...)
	waiting = work(t, address)
	p.ends(t, terminal.CodeFailed, `(?m)^ppl sample: 1 of 2 workers have connected: 2s have passed \(--wait\)`)
	waiting.ends(t, terminal.CodeFailed, `the run has not begun: 1 of 2 workers have connected: 2s have passed`)
}
