package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// A result has the measurements of a run.
type result struct {
	Processor float64 `json:"processor"` // seconds of the entire run, with compilation
	Sampling  float64 `json:"sampling"`  // seconds of warmup and draws
	Gradients float64 `json:"gradients"`
	ESS       float64 `json:"ess"`      // minimum of bulk and tail ESS over the quantities that all systems report
	Compiled  float64 `json:"compiled"` // share of the processor time in compiled code
	Memory    float64 `json:"memory"`   // peak memory in bytes
	Failed    string  `json:"failed"`
}

// finished has the output of a process, its processor time in seconds and its peak memory in bytes.
type finished struct {
	output          []byte
	seconds, memory float64
}

// process runs a command until it ends.
func process(c *exec.Cmd) (f finished, err error) {
	var errors bytes.Buffer
	c.Stderr = &errors
	f.output, err = c.Output()
	if c.ProcessState != nil {
		f.seconds = (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()
		if u, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
			f.memory = float64(u.Maxrss) * 1024 // of the largest process in the process tree
		}
	}
	if err != nil {
		lines := strings.Split(strings.TrimSpace(errors.String()), "\n")
		err = fmt.Errorf("%w: %s", err, lines[len(lines)-1])
	}
	return f, err
}

// ours runs ppl three times: with an empty cache, with the compiled library in the cache, and again with perf.
func (b *bench) ours(ctx context.Context, t target, sampler, data string, seed int) (shown result, err error) {
	dir, err := os.MkdirTemp(b.work, "run")
	if err != nil {
		return shown, err
	}
	defer os.RemoveAll(dir)
	sample := []string{b.ppl, "sample", filepath.Join("bench", "whole", "models", t.Model+".ppl"), "--data", data,
		"--sampler", sampler, "--seed", strconv.Itoa(seed), "--threads", "1", "--draws", "1000",
		"--out", filepath.Join(dir, "run"), "--overwrite", "--json", "--quiet"}
	call := func(before ...string) (finished, error) {
		words := append(before, sample...)
		c := exec.CommandContext(ctx, words[0], words[1:]...)
		c.Env = append(os.Environ(), "XDG_CACHE_HOME="+filepath.Join(dir, "cache"))
		return process(c)
	}
	cold, err := call()
	if err != nil {
		return shown, err
	}
	warm, err := call()
	if err != nil {
		return shown, err
	}
	shown = result{Processor: cold.seconds, Sampling: warm.seconds, Memory: warm.memory}
	if err := shown.read(warm.output, t.Common); err != nil {
		return shown, err
	}
	if _, err := exec.LookPath("perf"); err != nil {
		shown.Compiled = -1 // unknown
		return shown, nil
	}
	profile := filepath.Join(dir, "perf")
	if _, err := call("perf", "record", "-q", "-e", "cpu-clock", "-F", "199", "-o", profile, "--"); err != nil {
		return shown, err
	}
	shown.Compiled, err = compiledShare(profile)
	return shown, err
}

// read reads the number of gradients and the effective sample size from a summary.
func (s *result) read(summary []byte, common []string) error {
	var read struct {
		Gradients  float64
		Parameters []struct {
			Name string
			Bulk float64 `json:"ess_bulk"`
			Tail float64 `json:"ess_tail"`
		}
	}
	if err := json.Unmarshal(summary, &read); err != nil {
		return err
	}
	s.Gradients, s.ESS = read.Gradients, math.Inf(1)
	seen := map[string]bool{}
	for _, p := range read.Parameters {
		name, _, _ := strings.Cut(p.Name, "[")
		if slices.Contains(common, name) {
			seen[name] = true
			s.ESS = min(s.ESS, p.Bulk, p.Tail)
		}
	}
	if len(seen) < len(common) {
		return fmt.Errorf("the summary contains only %v of %v", slices.Sorted(maps.Keys(seen)), common)
	}
	return nil
}

// compiledShare returns the share of perf's samples in libraries compiled by ppl (the model and the sampler's steps)
// and in the C library's mathematics, which Go code does not call.
func compiledShare(profile string) (share float64, err error) {
	out, err := exec.Command("perf", "report", "-i", profile, "--sort", "dso", "--stdio").Output()
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		if len(words) == 2 && strings.Contains(words[1], ".so") {
			part, err := strconv.ParseFloat(strings.TrimSuffix(words[0], "%"), 64)
			if err != nil {
				return 0, err
			}
			share += part / 100
		}
	}
	return share, nil
}

// theirs runs another system. That system measures its own time, to exclude the computation of effective sizes.
func (b *bench) theirs(ctx context.Context, t target, system, data string, seed int) (shown result, err error) {
	c := exec.CommandContext(ctx, b.python, filepath.Join("bench", "whole", "peers.py"), system, t.Model, data,
		strconv.Itoa(seed), strings.Join(t.Common, ","))
	f, err := process(c)
	if err != nil {
		return shown, err
	}
	lines := strings.Split(strings.TrimSpace(string(f.output)), "\n")
	err = json.Unmarshal([]byte(lines[len(lines)-1]), &shown)
	return shown, err
}
