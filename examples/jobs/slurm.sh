#!/bin/sh
# Fits a model to many data sets, each in a task of a Slurm array: data/1.csv, data/2.csv and so on.
#
#   sbatch --array=1-100 slurm.sh model.ppl
#   ppl summary model.*.run               how good the draws of each are
#   ppl summary model.*.run mu --csv      the results, once all have ended
#
# A task gets one CPU, which every node has; its chains share it. With nodes of four or more, give each chain its own:
#
#   sbatch --cpus-per-task=4 --array=1-100 slurm.sh model.ppl
#
# A task that is stopped at its time limit, or whose machine fails, goes on when it is queued again, or when the same
# command is given once more: tasks that have ended only print their summaries.
#SBATCH --cpus-per-task=1
#SBATCH --time=04:00:00
#SBATCH --signal=TERM@60
#SBATCH --requeue
#SBATCH --open-mode=append
exec ppl sample "$1" --data "data/$SLURM_ARRAY_TASK_ID.csv" --task "$SLURM_ARRAY_TASK_ID" --seed 1 --resume \
	--threads "${SLURM_CPUS_PER_TASK:-0}"
