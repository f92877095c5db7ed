package mpi

import (
	"strings"
	"testing"
)

// TestStartedAlone checks that the number of tasks is reported only by the first of several processes that srun started
// without a plugin for MPI.
func TestStartedAlone(t *testing.T) {
	for name, c := range map[string]struct {
		environment string
		want        int
	}{
		"no launcher":        {"", 0},
		"srun without MPI":   {"SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=0", 2},
		"the second process": {"SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=1", 0},
		"one task":           {"SLURM_STEP_NUM_TASKS=1 SLURM_PROCID=0", 0},
		"a script of sbatch": {"SLURM_NTASKS=2 SLURM_PROCID=0", 0},
		"srun --mpi=pmi2":    {"SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=0 PMI_SIZE=2", 0},
		"srun --mpi=pmix":    {"SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=0 PMIX_RANK=0", 0},
		"mpirun in a step":   {"SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=0 OMPI_COMM_WORLD_SIZE=2", 0},
	} {
		t.Run(name, func(t *testing.T) {
			for _, known := range strings.Fields("SLURM_STEP_NUM_TASKS SLURM_PROCID SLURM_NTASKS PMI_SIZE PMIX_RANK " +
				"OMPI_COMM_WORLD_SIZE") {
				t.Setenv(known, "")
			}
			for _, set := range strings.Fields(c.environment) {
				variable, value, _ := strings.Cut(set, "=")
				t.Setenv(variable, value)
			}
			if got := StartedAlone(); got != c.want {
				t.Errorf("%d processes, want %d", got, c.want)
			}
		})
	}
}
