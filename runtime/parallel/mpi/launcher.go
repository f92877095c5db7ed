package mpi

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// A launcher is a kind of program that starts ranks, recognised by the environment variables that it sets.
type launcher struct {
	name      string
	size      string   // variable with the number of ranks
	with      string   // another variable that must be set; may be empty
	libraries []string // libraries that belong to it, the most likely first
}

const (
	openMPI  = "libmpi.so.40"
	standard = "libmpi_abi.so.1"
)

// launchers returns the supported launchers in the order in which they are tried: Open MPI sets variables of PMI, too.
func launchers() []launcher {
	mpich := []string{"libmpi.so.12", "libmpich.so.12", standard}
	return []launcher{
		{"Open MPI's mpirun", "OMPI_COMM_WORLD_SIZE", "", []string{openMPI}},
		{"MPICH's mpiexec", "PMI_SIZE", "", mpich},
		{"Slurm with PMIx", "SLURM_STEP_NUM_TASKS", "PMIX_RANK", append([]string{openMPI}, mpich...)},
	}
}

// launched returns the launcher that started this process, and its number of processes; false unless there are several.
func launched() (launcher, int, bool) {
	for _, l := range launchers() {
		n, err := strconv.Atoi(os.Getenv(l.size))
		if err == nil && (l.with == "" || os.Getenv(l.with) != "") {
			return l, n, n > 1
		}
	}
	return launcher{}, 0, false
}

// StartedAlone returns the number of processes that srun has started without MPI, if this is the first of several, and
// 0 otherwise. Such processes cannot communicate.
func StartedAlone() int {
	n, counted := variable("SLURM_STEP_NUM_TASKS")
	id, numbered := variable("SLURM_PROCID")
	if _, _, joined := launched(); joined || !counted || !numbered || n < 2 || id != 0 {
		return 0
	}
	return n
}

// FirstOfHost reports whether this process is the first that the launcher has started on this host, if the launcher
// provides this information. It can be called before processes join.
func FirstOfHost() bool {
	n, found := variable("OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID")
	return !found || n == 0
}

// candidates returns the files to try: the file that PPL_MPI names; otherwise the launcher's libraries next to the
// mpirun or mpiexec of the search path, and where the loader finds them.
func (l launcher) candidates() (paths []string) {
	if path := os.Getenv("PPL_MPI"); path != "" {
		return []string{path}
	}
	dirs := nextToLauncher()
	for _, name := range l.libraries {
		for _, dir := range dirs {
			if path := filepath.Join(dir, name); exists(path) {
				paths = append(paths, path)
			}
		}
		paths = append(paths, name)
	}
	return paths
}

// nextToLauncher returns the library directories of the installations whose launchers are in the search path.
func nextToLauncher() (dirs []string) {
	for _, name := range []string{"mpirun", "mpiexec"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
		prefix := filepath.Dir(filepath.Dir(path))
		if prefix != "/usr" { // the loader searches those
			dirs = append(dirs, filepath.Join(prefix, "lib"), filepath.Join(prefix, "lib64"))
		}
	}
	return dirs
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// LocalRanks returns the number of ranks on this machine if the launcher provides it, and 1 otherwise.
func LocalRanks() int {
	n, _ := variable("OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_NTASKS_PER_NODE")
	return max(1, n)
}

// variable returns the value of the first of some environment variables that contains an integer.
func variable(names ...string) (n int, found bool) {
	for _, name := range names {
		if n, err := strconv.Atoi(strings.TrimSpace(os.Getenv(name))); err == nil {
			return n, true
		}
	}
	return 0, false
}
