//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ppl/app/rundir"
	"ppl/cmd/ppl/terminal"
)

// linesOf returns the lines written by ppl, without those of launchers.
func linesOf(out []byte) (lines []string) {
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "ppl") || strings.HasPrefix(line, "note: ") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// A problem of the library, or of one rank, is reported in one line. All ranks end with exit code 3 before anything is
// written.
func TestMistakesUnderMPI(t *testing.T) {
	launcher, ppl := launcherOfMPI(t)
	model := rankModel(t)
	other, run := t.TempDir(), filepath.Join(t.TempDir(), "m.run")
	sample := []string{ppl, "sample", filepath.Base(model), "--seed", "3", "--warmup", "5", "--draws", "2", "--quiet",
		"--out", run}
	elsewhere := []string{":", "-np", "1", "env", "XDG_CACHE_HOME=" + filepath.Join(other, "cache"), "sh", "-c",
		"cd " + other + " && exec " + ppl}
	copied := func(name, old, new string) { // to the directory of rank 1, with a change
		text, err := os.ReadFile(filepath.Join(filepath.Dir(model), name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(other, name), strings.Replace(string(text), old, new, 1))
	}
	for _, c := range []struct {
		before func()
		env    string
		others []string // the ranks after the first
		says   string
	}{
		{nil, "PPL_MPI=/nothing/libmpi.so", nil, "its MPI library cannot be loaded (/nothing/libmpi.so)"},
		{nil, "PPL_MPI=libc.so.6", nil, "libc.so.6 is not an MPI library"},
		{nil, "", elsewhere, "rank 1 of 2: error[E00]: cannot read the model"},
		{func() { copied("m.ppl", "", "") }, "", elsewhere, "rank 1 of 2: m.ppl:1:6: error[E83]: cannot read data"},
		{func() { copied("d.csv", "0.", "1.") }, "", elsewhere, "rank 1 of 2: its data are not those of rank 0"},
		{func() { copied("d.csv", "", ""); copied("m.ppl", "5)", "6)") }, "", elsewhere,
			"rank 1 of 2: its model is not that of rank 0"},
	} {
		if c.before != nil {
			c.before()
		}
		ranks := []string{launcher, "-np", "2"}
		if c.others != nil {
			ranks[2] = "1"
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		cmd := underMPI(ctx, []string{c.env}, slices.Concat(ranks, sample, c.others)...)
		cmd.Dir = filepath.Dir(model)
		out, err := cmd.CombinedOutput()
		cancel()
		lines := linesOf(out)
		code := exitCode(err)
		if code != terminal.CodeFailed || len(lines) != 1 || !strings.Contains(lines[0], c.says) {
			t.Errorf("want %q: %v\n%s", c.says, err, out)
		}
		if rundir.Exists(run) {
			t.Errorf("%q: there is a run", c.says)
		}
	}
}

func exitCode(err error) int {
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		return ended.ExitCode()
	}
	return 0
}

// With the library of another MPI than the launcher's, each rank would assume that it is alone. This is refused, in one
// line. One of the two libraries works, the launcher's own.
func TestForeignMPI(t *testing.T) {
	launcher, ppl := launcherOfMPI(t)
	works, refused := 0, 0
	for _, library := range []string{"libmpi.so.40", "libmpich.so.12"} {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		out, err := underMPI(ctx, []string{"PPL_MPI=" + library}, launcher, "-np", "2", ppl, "version",
			"--mpi").CombinedOutput()
		cancel()
		said := strings.Join(linesOf(out), "\n")
		switch {
		case err == nil && strings.Contains(string(out), "2 ranks by "):
			works++
		case exitCode(err) == terminal.CodeFailed && strings.Count(said, "it belongs to another MPI") == 1:
			refused++
		case strings.Contains(said, "its MPI library cannot be loaded ("+library):
			t.Logf("%s is not installed", library)
		default:
			t.Errorf("%s: %v\n%s", library, err, out)
		}
	}
	if works > 1 || refused > 1 || works+refused == 0 {
		t.Errorf("%d libraries work, %d are refused", works, refused)
	}
}

// If a rank dies, the launcher ends the others. The run continues with another number of ranks, and has the same bytes
// as an uninterrupted run.
func TestRankDies(t *testing.T) {
	launcher, ppl := launcherOfMPI(t)
	model, dir := rankModel(t), t.TempDir()
	whole, run, pid := filepath.Join(dir, "whole"), filepath.Join(dir, "run"), filepath.Join(dir, "pid")
	sample := func(out string) []string {
		return []string{ppl, "sample", model, "--seed", "3", "--chains", "2", "--warmup", "400", "--draws", "20",
			"--quiet", "--threads", "1", "--resume", "--out", out}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	if out, err := underMPI(ctx, nil, sample(whole)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	killed := underMPI(ctx, nil, slices.Concat([]string{launcher, "-np", "1"}, sample(run),
		[]string{":", "-np", "1", "sh", "-c", "echo $$ > " + pid + "; exec " + ppl})...)
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	rank1 := 0
	for ctx.Err() == nil && !rundir.Exists(filepath.Join(run, "checkpoint")) {
		time.Sleep(10 * time.Millisecond)
	}
	text, err := os.ReadFile(pid)
	if _, err2 := fmt.Sscan(string(text), &rank1); err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	if err := syscall.Kill(rank1, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := killed.Wait(); err == nil {
		t.Error("the launcher reports success")
	}
	resumed := underMPI(ctx, nil, slices.Concat([]string{launcher, "-np", "3"}, sample(run))...)
	if out, err := resumed.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	sameArrays(t, whole, run)
}

// A rank that stops answering is reported once, after half a minute. When it answers again, the run continues.
func TestRankStops(t *testing.T) {
	if os.Getenv("PPL_SLOW") == "" {
		t.Skip("takes half a minute")
	}
	launcher, ppl := launcherOfMPI(t)
	dir := t.TempDir()
	run, pid := filepath.Join(dir, "run"), filepath.Join(dir, "pid")
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := underMPI(ctx, nil, launcher, "-np", "1", ppl, "sample", rankModel(t), "--seed", "3", "--chains", "2",
		"--warmup", "600", "--draws", "20", "--quiet", "--threads", "1", "--out", run,
		":", "-np", "1", "sh", "-c", "echo $$ > "+pid+"; exec "+ppl)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for ctx.Err() == nil && !rundir.Exists(filepath.Join(run, "progress.json")) {
		time.Sleep(10 * time.Millisecond)
	}
	rank1 := 0
	text, err := os.ReadFile(pid)
	if _, err2 := fmt.Sscan(string(text), &rank1); err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	for _, s := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGCONT} {
		if err := syscall.Kill(rank1, s); err != nil {
			t.Fatal(err)
		}
		if s == syscall.SIGSTOP {
			time.Sleep(37 * time.Second)
		}
	}
	if err := cmd.Wait(); err != nil || strings.Count(out.String(), "note: another rank has not answered for 3") != 1 {
		t.Errorf("%v\n%s", err, out.String())
	}
}
