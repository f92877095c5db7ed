#!/bin/sh
# Fits a model to many data sets with GNU parallel, on this machine or, with --sshlogin, on others.
#
#   ./parallel.sh model.ppl data/*.csv    data/1.csv is the first task, and so on
#   ppl summary model.*.run mu --csv
#
# If it is stopped, the same command goes on: tasks that have ended only print their summaries.
model=$1
shift
exec parallel --jobs "${JOBS:-4}" --halt soon,fail=10% \
	ppl sample "$model" --data {} --task {#} --seed 1 --resume --threads 1 --quiet ::: "$@"
