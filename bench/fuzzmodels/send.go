package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ppl/bench/limited"
)

// Kinds of failures.
const (
	crashed   = "internal error"
	exhausted = "out of memory"
	endless   = "too long"
	disagreed = "disagreement of devices"
	orphaned  = "process left behind"
)

// limits bound a command: processor time in seconds, address space, and elapsed time. Elapsed time depends on other
// load, but its limit stops a command that waits forever.
type limits struct {
	seconds, kilobytes int
	wait               time.Duration
}

// limitsOf returns the limits of a command. Sampling needs more time: ten draws of a model with a differential equation
// take the host device some seconds.
func limitsOf(verb string) limits {
	l := limits{seconds: 60, kilobytes: 6 << 20, wait: 5 * time.Minute}
	if verb == "check" {
		l.seconds = 10
	}
	return l
}

// A failure is the command at which ppl failed, and the kind of failure. The zero value means no failure.
type failure struct{ step, kind string }

// send runs the commands from check to logprob on a model until one rejects it. It returns the number of commands and
// the failure.
func send(ctx context.Context, ppl string, c candidate, r *rand.Rand) (commands int, f failure) {
	dir, err := os.MkdirTemp("", "fuzzmodels-*")
	if err != nil {
		return 0, failure{"", err.Error()}
	}
	defer os.RemoveAll(dir)
	for name, text := range c.data {
		_ = os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755)
		_ = os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644)
	}
	_ = os.WriteFile(filepath.Join(dir, "model.ppl"), []byte(c.model), 0o644)
	warmups := []string{"0", "1", "10", "12", "15", "30", "60"}
	way := [][]string{
		{"check", "model.ppl"},
		{"sample", "model.ppl", "--device", "host", "--draws", "10", "--chains", "2", "--seed", "1", "--out", "run",
			"--quiet", "--warmup", warmups[r.IntN(len(warmups))]},
		{"predict", "run"},
		{"export", "run", "--format", "json", "--out", "draws.json"},
	}
	for _, args := range way {
		commands++
		code, kind := command(ctx, dir, ppl, args, limitsOf(args[0]))
		if kind != "" {
			return commands, failure{args[0], kind}
		}
		if code != 0 && args[0] != "predict" {
			return commands, failure{}
		}
	}
	if lastDraw(dir) != nil {
		return commands, failure{}
	}
	devices := []string{"logprob", "model.ppl", "--at", "at.json", "--device", "all", "--json"}
	if _, kind := command(ctx, dir, ppl, devices, limitsOf("logprob")); kind != "" {
		return commands + 1, failure{"logprob", kind}
	}
	return commands + 1, failure{}
}

// command runs ppl within limits.
func command(ctx context.Context, dir, ppl string, args []string, l limits) (code int, kind string) {
	ctx, cancel := context.WithTimeout(ctx, l.wait)
	defer cancel()
	var out bytes.Buffer
	cmd := limited.Command(ctx, ppl, args, limited.Limits{Seconds: l.seconds, Kilobytes: l.kilobytes})
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &out
	err := cmd.Run()
	endGroup(cmd)
	var exit *exec.ExitError
	switch text := out.String(); {
	case strings.Contains(text, "internal error") || strings.Contains(text, "goroutine "):
		if strings.Contains(text, "out of memory") || strings.Contains(text, "cannot allocate") {
			return 2, exhausted
		}
		return 2, crashed
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return 2, endless
	case args[0] == "logprob" && differs(text):
		return 0, disagreed
	case err == nil:
		return 0, ""
	case errors.Is(err, exec.ErrWaitDelay):
		return 0, orphaned
	case !errors.As(err, &exit):
		return 2, err.Error()
	default:
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			return 2, endless // the process was killed because it exceeded its processor time
		}
		return exit.ExitCode(), ""
	}
}

// endGroup kills the remaining processes of a command's process group.
func endGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
}

// lastDraw writes the last draw of a run to at.json, as input of logprob.
func lastDraw(dir string) error {
	text, err := os.ReadFile(filepath.Join(dir, "draws.json"))
	if err != nil {
		return err
	}
	var draws map[string][][]json.RawMessage
	if err := json.Unmarshal(text, &draws); err != nil {
		return err
	}
	at := map[string]json.RawMessage{}
	for name, chains := range draws {
		if len(chains) == 0 || len(chains[0]) == 0 {
			return errors.New("no draws")
		}
		at[name] = chains[0][len(chains[0])-1]
	}
	if text, err = json.Marshal(at); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "at.json"), text, 0o644)
}

var difference = regexp.MustCompile(`"difference": *("?[-+0-9.a-zA-Z]+)`)

// differs reports whether the output of logprob --device all has a relative difference above 1e-6.
func differs(text string) bool {
	for _, found := range difference.FindAllStringSubmatch(text, -1) {
		if x, err := strconv.ParseFloat(strings.Trim(found[1], `"`), 64); err != nil || !(x <= 1e-6) {
			return true
		}
	}
	return false
}
