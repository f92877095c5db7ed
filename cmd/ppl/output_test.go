package main

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ppl/cmd/ppl/terminal"
)

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// A full disk ends every command that prints with exit code 3 and one line. If the reader closes the pipe, a command
// ends as if all output had been read.
func TestOutputFails(t *testing.T) {
	dir := t.TempDir()
	model, at, run := filepath.Join(dir, "model.ppl"), filepath.Join(dir, "at.json"), filepath.Join(dir, "model.run")
	write(t, model, "data y[N] = [1, 2]\nmu ~ Normal(0, 1)\ny[i in N] ~ Normal(mu, 1)\n")
	write(t, at, `{"mu": 0.5}`)
	to := func(w io.Writer, args ...string) (code int, said string) {
		var lines bytes.Buffer
		code = runOn(w, &lines, args...)
		return code, lines.String()
	}
	sample := []string{"sample", model, "--device", "host", "--draws", "20", "--warmup", "20", "--chains", "2",
		"--seed", "1", "--quiet", "--overwrite", "--out", run}
	if code, said := to(io.Discard, sample...); code != terminal.CodeDone {
		t.Fatal(said)
	}
	for _, args := range [][]string{
		sample, {"check", model}, {"fmt", model}, {"build", "--emit=ir", model}, {"version"}, {"help"},
		{"help", "Normal"}, {"list", dir}, {"summary", run}, {"diagnose", run}, {"query", run, "mu"}, {"loo", run},
		{"export", run, "--format", "csv"}, {"logprob", model, "--at", at},
	} {
		code, said := to(failing{syscall.ENOSPC}, args...)
		last := said[strings.LastIndex(strings.TrimSpace(said), "\n")+1:]
		if code != terminal.CodeFailed ||
			!strings.Contains(last, "the results could not be written: no space left on device") {
			t.Errorf("ppl %s on a full disk: exit code %d, %s", args[0], code, said)
		}
		want, _ := to(io.Discard, args...)
		if code, said := to(failing{syscall.EPIPE}, args...); code != want {
			t.Errorf("ppl %s without a reader: exit code %d, %s", args[0], code, said)
		}
	}
}

func runOn(w io.Writer, said io.Writer, args ...string) int {
	return run(context.Background(), args, terminal.Plain(w, said))
}
