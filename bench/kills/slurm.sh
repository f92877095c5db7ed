#!/bin/bash
# Kills processes of a job of Slurm that puts itself into the queue again, continues it with another number of tasks, and
# compares the draws with those of one process. It takes the script of docs/pages/howto/cluster.md, and needs sbatch,
# openssl and five CPUs of Slurm's (SlurmdParameters=config_overrides lends them to a machine that has fewer):
#
#   PPL=./ppl bench/kills/slurm.sh      prints "same draws" at the end
set -euo pipefail
cd "$(dirname "$0")/../.."
ppl=$(realpath "${PPL:-ppl}")
work=$(mktemp -d)
trap 'scancel --name=ppl-kills; rm -rf "$work"' EXIT
awk '/^```slurm tcp.sh/ { on = 1; next } /^```/ { on = 0 } on' docs/pages/howto/cluster.md |
    sed 's/--until time=1.9h/--seed 1 --draws 10000/; s/--ntasks=8 --cpus-per-task=4/--job-name=ppl-kills/' > "$work/job.sh"
cd "$work"
cat > model.ppl <<'MODEL'
data N: int, y[N]: int, x[N, 3]
a ~ Normal(0, 2)
b[j in 1..3] ~ Normal(0, 1)
y[i in N] ~ Bernoulli(logits = a + b[1] * x[i, 1] + b[2] * x[i, 2] + b[3] * x[i, 3])
MODEL
awk 'BEGIN { srand(1); print "y,x.1,x.2,x.3"
    for (i = 0; i < 20000; i++) print (rand() < .6) "," rand() "," rand() "," rand() }' > table.csv
export PATH=$(dirname "$ppl"):$PATH SCRATCH=$work

# state prints the state of a job; empty once Slurm has forgotten it.
state() { scontrol show job "$1" 2>/dev/null | sed -n 's/.*JobState=\([A-Z]*\).*/\1/p'; }
# await waits until a job is in one of some states.
await() { until [[ " $2 " == *" $(state "$1") "* ]]; do sleep 1; done; }
# sampling waits until a job has begun to sample once more.
sampling() { until [[ $(grep -c '^sampling: .*left' "slurm-$1.out" 2>/dev/null) -gt $2 ]]; do sleep 1; done; }

job=$(sbatch --parsable --ntasks=3 job.sh)
seen=0
for victim in 'ppl worker' 'ppl sample' requeue; do
    sampling "$job" "$seen"
    if [[ $victim == requeue ]]; then
        scontrol requeue "$job"
    else
        kill -9 "$(pgrep -n -f "^$victim")"
    fi
    await "$job" PENDING
    echo "$victim: the job waits in the queue again"
    seen=$(grep -c '^sampling: .*left' "slurm-$job.out")
    [[ $victim == requeue ]] || scontrol update JobId="$job" StartTime=now
done
scancel "$job"
second=$(sbatch --parsable --ntasks=5 job.sh)
await "$second" 'COMPLETED FAILED'
tail -n 3 "slurm-$second.out"

"$ppl" sample model.ppl --data table.csv --seed 1 --draws 10000 --out one.run --quiet --threads 1
for group in posterior log_prior sample_stats; do
    diff -rq -x .zattrs "model.run/$group" "one.run/$group"
done
echo "same draws"
