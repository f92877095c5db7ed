package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ppl/app"
	"ppl/cmd/ppl/terminal"
	"ppl/runtime/parallel/ranks"
)

// rankModel writes a model with enough rows for several blocks, and returns its path.
func rankModel(t *testing.T) string {
	t.Helper()
	var rows strings.Builder
	rows.WriteString("x,y\n")
	for i := range 12_000 {
		x := math.Sin(float64(i))
		y := 0
		if math.Sin(float64(7*i)) < x {
			y = 1
		}
		fmt.Fprintf(&rows, "%.4f,%d\n", x, y)
	}
	dir := t.TempDir()
	model := filepath.Join(dir, "m.ppl")
	for path, text := range map[string]string{filepath.Join(dir, "d.csv"): rows.String(),
		model: "data x[N], y[N] from \"d.csv\"\na, b ~ Normal(0, 5)\ny[i in N] ~ Bernoulli(logits = a + b * x[i])\n"} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return model
}

// onRanks carries out a command on local ranks. It returns the exit code of each, and the messages of rank 0.
func onRanks(n int, args ...string) (codes []int, said string) {
	var all sync.WaitGroup
	var out bytes.Buffer
	codes = make([]int, n)
	for rank, comm := range ranks.Local(n) {
		c := consoleTo(&out)
		c.Job = &app.Job{Comm: comm, Library: func() (string, string) { return "one process", "goroutines" },
			Abort: func(int) { panic("abort") }}
		all.Go(func() { codes[rank] = carryOutOnRanks(context.Background(), args, c) })
	}
	all.Wait()
	return codes, out.String()
}

// consoleTo returns a console that writes only to out.
func consoleTo(out *bytes.Buffer) *terminal.Console {
	c := terminal.New(os.Stdout, os.Stderr)
	c.Out, c.Err, c.Width, c.Live, c.Color = out, out, 0, false, false
	return c
}

// sameArrays compares the chunks of all arrays of two runs.
func sameArrays(t *testing.T, a, b string) {
	t.Helper()
	seen := 0
	err := filepath.WalkDir(a, func(path string, e fs.DirEntry, err error) error {
		relative, _ := filepath.Rel(a, path)
		if err != nil || e.IsDir() || filepath.Dir(relative) == "." || e.Name() == ".zattrs" {
			return err
		}
		seen++
		want, err := os.ReadFile(path)
		got, err2 := os.ReadFile(filepath.Join(b, relative))
		if err != nil || err2 != nil || !bytes.Equal(want, got) {
			t.Errorf("%s differs: %v", relative, err2)
		}
		return nil
	})
	if err != nil || seen < 20 {
		t.Errorf("%d files compared, %v", seen, err)
	}
}

// A run on several ranks has the same files as a run of one process, also if it is extended with another number of
// ranks.
func TestSampleOnRanks(t *testing.T) {
	model := rankModel(t)
	whole, shared := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "shared")
	flags := []string{"sample", model, "--seed", "3", "--chains", "2", "--warmup", "30", "--quiet", "--threads", "1"}
	with := func(more ...string) []string { return append(append([]string(nil), flags...), more...) }
	var out bytes.Buffer
	alone := consoleTo(&out)
	if code := run(context.Background(), with("--draws", "20", "--out", whole), alone); code != 0 {
		t.Fatal(out.String())
	}
	for i, step := range [][]string{{"--draws", "8"}, {"--draws", "20", "--resume"}} {
		if codes, said := onRanks(2+i, with(append(step, "--out", shared)...)...); codes[0]+codes[1] != 0 {
			t.Fatal(codes, said)
		}
	}
	sameArrays(t, whole, shared)
	codes, said := onRanks(2, "version", "--mpi")
	if codes[0] != 0 || !strings.Contains(said, "2 ranks by goroutines") {
		t.Error(codes, said)
	}
}

// An error on rank 0 ends all ranks with one message and one exit code.
func TestMistakesOnRanks(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "x")
	for _, c := range []struct {
		code int
		says string
		args []string
	}{
		{terminal.CodeWrong, "cannot read the model", []string{"sample", "nothing.ppl", "--out", nowhere}},
		{terminal.CodeUsage, "there is no flag --drows", []string{"sample", "nothing.ppl", "--drows", "3"}},
		{terminal.CodeUsage, "cannot be used under a launcher of MPI, which connects the processes",
			[]string{"sample", "nothing.ppl", "--workers", "2"}},
		{terminal.CodeUsage, "ppl worker is called without a launcher of MPI",
			[]string{"worker", "--connect", "node1"}},
	} {
		codes, said := onRanks(3, c.args...)
		for _, code := range codes {
			if code != c.code || strings.Count(said, c.says) != 1 {
				t.Errorf("%v: codes %v, %s", c.args, codes, said)
			}
		}
	}
}

// launcherOfMPI returns the command that starts ranks, and this program, which testscript.Main has added to the search
// path.
func launcherOfMPI(t *testing.T) (launcher, ppl string) {
	t.Helper()
	launcher, err := exec.LookPath("mpiexec")
	if err != nil || testing.Short() {
		t.Skip("no MPI is installed")
	}
	if ppl, err = exec.LookPath("ppl"); err != nil {
		t.Skip(err)
	}
	return launcher, ppl
}

// underMPI returns a command in whose environment Open MPI starts more ranks than cores, for any user.
func underMPI(ctx context.Context, env []string, command ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env = append(os.Environ(), append(env, "OMPI_MCA_rmaps_base_oversubscribe=1",
		"OMPI_MCA_hwloc_base_binding_policy=none", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
		"OMPI_MCA_mpi_yield_when_idle=1", "PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe",
		"PRTE_MCA_hwloc_default_binding_policy=none")...)
	return cmd
}

// If an MPI is installed, mpiexec starts ranks of this program, and their run has the same files as one process.
func TestMPI(t *testing.T) {
	launcher, ppl := launcherOfMPI(t)
	model, whole, shared := rankModel(t), filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "shared")
	flags := []string{"sample", model, "--seed", "3", "--chains", "2", "--warmup", "20", "--draws", "5", "--quiet",
		"--threads", "1", "--out"}
	for dir, command := range map[string][]string{whole: {ppl}, shared: {launcher, "-np", "2", ppl}} {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		out, err := underMPI(ctx, nil, slices.Concat(command, flags, []string{dir})...).CombinedOutput()
		if cancel(); err != nil {
			t.Fatalf("%v: %v\n%s", command, err, out)
		}
	}
	sameArrays(t, whole, shared)
}
