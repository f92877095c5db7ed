//go:build !nonative && linux && (amd64 || arm64)

package mpi_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ppl/runtime/parallel/mpi"
	"ppl/runtime/parallel/ranks"
)

// child is set in the environment if this program runs as a rank.
const child = "PPL_TEST_RANK"

func TestMain(m *testing.M) {
	if os.Getenv(child) == "" {
		os.Exit(m.Run())
	}
	if err := beRank(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// beRank runs the checks of one rank.
func beRank() error {
	c, err := mpi.Join()
	if err != nil || c == nil {
		return fmt.Errorf("joined %v: %w", c != nil, err)
	}
	for turn := range 200 {
		parts, starts, want := make([][]byte, c.Size()), []int{0}, []byte(nil)
		for r := range parts {
			parts[r] = bytes.Repeat([]byte{byte(turn + r)}, (turn*7+r*13)%50)
			want = append(want, parts[r]...)
			starts = append(starts, len(want))
		}
		all := make([]byte, len(want))
		copy(all[starts[c.Rank()]:], parts[c.Rank()])
		if err := c.Gather(all, starts); err != nil || !bytes.Equal(all, want) {
			return fmt.Errorf("rank %d, turn %d: gathered %v, %w", c.Rank(), turn, all, err)
		}
	}
	if err := collect(c); err != nil {
		return err
	}
	text, err := ranks.BroadcastText(c, []byte(strings.Repeat("x", 1000*(1-min(1, c.Rank())))))
	if err != nil || len(text) != 1000 {
		return fmt.Errorf("rank %d has got %d bytes, %w", c.Rank(), len(text), err)
	}
	texts, err := ranks.GatherTexts(c, strings.Repeat("y", c.Rank()))
	if err != nil {
		return err
	}
	for r, text := range texts {
		if len(text) != r {
			return fmt.Errorf("rank %d has sent %q", r, text)
		}
	}
	if err := nilPointer(); err != nil {
		return err
	}
	path, version := c.Library()
	if c.Rank() == 0 {
		fmt.Printf("%d ranks, %s, %s\n", c.Size(), path, version)
	}
	c.Exit(0)
	return nil
}

// collect checks that rank 0 collects parts, some of them empty and some large.
func collect(c *mpi.Comm) error {
	for turn := range 100 {
		starts, want := []int{0}, []byte(nil)
		for r := range c.Size() {
			part := bytes.Repeat([]byte{byte(turn + r)}, (turn*r*313)%100_000)
			want = append(want, part...)
			starts = append(starts, len(want))
		}
		var all []byte
		if c.Rank() == 0 {
			all = make([]byte, len(want))
		}
		err := c.Collect(want[starts[c.Rank()]:starts[c.Rank()+1]], all, starts)
		if err != nil || c.Rank() == 0 && !bytes.Equal(all, want) {
			return fmt.Errorf("rank %d, turn %d: collected other bytes, %w", c.Rank(), turn, err)
		}
	}
	return nil
}

// nilPointer checks that a nil pointer causes a panic, as it does without MPI.
func nilPointer() (err error) {
	err = fmt.Errorf("no panic")
	defer func() {
		if recover() != nil {
			err = nil
		}
	}()
	var c *struct{ x int }
	fmt.Println(c.x)
	return err
}

// launchers returns mpiexec of the search path, and the launchers in PPL_TEST_MPI, separated by colons.
func launchers(t *testing.T) []string {
	found := filepath.SplitList(os.Getenv("PPL_TEST_MPI"))
	if path, err := exec.LookPath("mpiexec"); err == nil {
		found = append(found, path)
	}
	if len(found) == 0 {
		t.Skip("no MPI is installed")
	}
	return found
}

// run starts ranks of a program and returns their output.
func run(t *testing.T, launcher string, ranks int, env []string, program ...string) (string, error) {
	t.Helper()
	cmd := exec.Command(launcher, append([]string{"-np", fmt.Sprint(ranks)}, program...)...)
	cmd.Env = append(os.Environ(), append(env, "PATH="+filepath.Dir(launcher)+":"+os.Getenv("PATH"),
		// of Open MPI 4 and 5: more ranks than cores, on any of them
		"OMPI_MCA_rmaps_base_oversubscribe=1", "OMPI_MCA_hwloc_base_binding_policy=none",
		"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMPI_MCA_mpi_yield_when_idle=1",
		"PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe", "PRTE_MCA_hwloc_default_binding_policy=none")...)
	timer := time.AfterFunc(2*time.Minute, func() { cmd.Process.Kill() })
	defer timer.Stop()
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestLaunchers runs the checks of beRank under every installed launcher.
func TestLaunchers(t *testing.T) {
	for _, launcher := range launchers(t) {
		out, err := run(t, launcher, 3, []string{child + "=1"}, os.Args[0])
		if err != nil || !strings.Contains(out, "3 ranks, ") {
			t.Errorf("%s: %v\n%s", launcher, err, out)
		}
		t.Log(launcher, strings.TrimSpace(out))
	}
}

// TestForeignLibrary checks that the library of another MPI than the launcher's is refused. It reports that each rank
// is alone.
func TestForeignLibrary(t *testing.T) {
	for _, launcher := range launchers(t) {
		for _, library := range []string{"libmpi.so.40", "libmpich.so.12", "libmpi.so.12"} {
			out, err := run(t, launcher, 2, []string{child + "=1", "PPL_MPI=" + library}, os.Args[0])
			if err != nil && !strings.Contains(out, "it belongs to another MPI") &&
				!strings.Contains(out, "its MPI library cannot be loaded (lib") {
				t.Errorf("%s with %s: %v\n%s", launcher, library, err, out)
			}
		}
	}
}

// TestAlone checks that Join returns no Comm without a launcher or for a single process.
func TestAlone(t *testing.T) {
	for _, env := range []string{"", "1"} {
		t.Setenv("OMPI_COMM_WORLD_SIZE", env)
		if c, err := mpi.Join(); c != nil || err != nil {
			t.Errorf("%q: %v, %v", env, c, err)
		}
	}
}

// TestNoLibrary checks the errors for a process started by a launcher if the library is missing or is not an MPI
// library.
func TestNoLibrary(t *testing.T) {
	t.Setenv("OMPI_COMM_WORLD_SIZE", "2")
	t.Setenv("PPL_MPI", "/nothing/libmpi.so")
	if _, err := mpi.Join(); err == nil || !strings.Contains(err.Error(), "its MPI library cannot be loaded") {
		t.Error(err)
	}
	t.Setenv("PPL_MPI", "libc.so.6")
	if _, err := mpi.Join(); err == nil || !strings.Contains(err.Error(), "is not an MPI library") {
		t.Error(err)
	}
}
