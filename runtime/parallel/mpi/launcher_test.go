package mpi

import "testing"

// Processes that srun starts without a plugin for MPI know their number and no more. Those of launchers of MPI, a step
// of one task, and the second process say nothing.
func TestStartedAlone(t *testing.T) {
	for name, c := range map[string]struct {
		set  map[string]string
		want int
	}{
		"no launcher":        {nil, 0},
		"srun without MPI":   {map[string]string{"SLURM_STEP_NUM_TASKS": "2", "SLURM_PROCID": "0"}, 2},
		"the second process": {map[string]string{"SLURM_STEP_NUM_TASKS": "2", "SLURM_PROCID": "1"}, 0},
		"one task":           {map[string]string{"SLURM_STEP_NUM_TASKS": "1", "SLURM_PROCID": "0"}, 0},
		"a script of sbatch": {map[string]string{"SLURM_NTASKS": "2", "SLURM_PROCID": "0"}, 0},
		"srun --mpi=pmi2":    {map[string]string{"SLURM_STEP_NUM_TASKS": "2", "SLURM_PROCID": "0", "PMI_SIZE": "2"}, 0},
		"srun --mpi=pmix":    {map[string]string{"SLURM_STEP_NUM_TASKS": "2", "SLURM_PROCID": "0", "PMIX_RANK": "0"}, 0},
		"mpirun in a step":   {map[string]string{"SLURM_STEP_NUM_TASKS": "2", "SLURM_PROCID": "0", "OMPI_COMM_WORLD_SIZE": "2"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			for _, known := range []string{"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "SLURM_NTASKS", "PMI_SIZE", "PMIX_RANK",
				"OMPI_COMM_WORLD_SIZE"} {
				t.Setenv(known, c.set[known])
			}
			if got := StartedAlone(); got != c.want {
				t.Errorf("%d processes, want %d", got, c.want)
			}
		})
	}
}
