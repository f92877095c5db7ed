#!/usr/bin/env bash
# What there is to learn on a machine with an NVIDIA GPU, in ten minutes, without a network and without Go. `make gpu`
# fills dist/gpu with this script, ppl, its tests and models; carry that directory there and run
#
#     ./gpu.sh RESULTS [MINUTES]
#
# It ends at once where ppl finds no GPU, and after ten minutes, or as many as are given. Each part has a time limit and
# adds a line to RESULTS/gpu.jsonl and its output to RESULTS/log.txt; the most valuable come first. A part whose line is
# there already is not run again, so the script can be stopped and started; parts for which there was no time are left
# to the next start. A table comes last. NVRTC must be there: of CUDA, or of the packages of pip that PyTorch, JAX and
# CuPy bring. Parts with products of matrices take cuBLAS of the same places. The parts jax-… time the same steps by
# JAX, if the Python named by PYTHON has it.
set -uo pipefail
cd "$(dirname "$0")"
results=$(realpath -m "${1:?a directory for results}")
mkdir -p "$results"
lines=$results/gpu.jsonl log=$results/log.txt
touch "$lines" "$log"
export XDG_CACHE_HOME=${XDG_CACHE_HOME:-$results/cache}
./ppl logprob examples/eight_schools.ppl --at at.json --device cuda || exit
runs=$(mktemp -d)
end=$((SECONDS + 60 * ${2:-10}))
left=
trap 'rm -rf "$runs"' EXIT

# part NAME SECONDS COMMAND… runs a part; its result is the last line that it prints.
part() {
    local name=$1 limit=$2 rest=$((end - SECONDS)) began tenths rc result
    shift 2
    grep -q "\"part\": \"$name\"" "$lines" && return
    if [ "$rest" -lt 5 ]; then
        left="$left $name"
        return
    fi
    [ "$rest" -lt "$limit" ] && limit=$rest || rest=
    echo "$name, at most $limit s" >&2
    began=$(date +%s%N)
    timeout --kill-after=10 "$limit" bash -o pipefail -c "$*" >"$runs/$name.out" 2>&1
    rc=$?
    if [ "$rc" -eq 124 ] && [ -n "$rest" ]; then # it had less than its time
        left="$left $name"
        return
    fi
    tenths=$((($(date +%s%N) - began) / 100000000))
    { echo "=== $name (exit code $rc)"; cat "$runs/$name.out"; } >>"$log"
    result=$(tail -n 1 "$runs/$name.out" | tr -d '\\"\t' | cut -c1-200)
    printf '{"part": "%s", "seconds": %d.%d, "code": %d, "result": "%s"}\n' "$name" $((tenths / 10)) $((tenths % 10)) \
        "$rc" "$result" >>"$lines"
}

# What a benchmark prints, and last one line of it: lane-steps a second by number of lanes.
steps='awk "/^Benchmark/ {print; fflush(); for (i = 2; i < NF; i++) if (\$(i+1) == \"lane-steps/s\") {split(\$1, n, /[\/-]/); all = all n[2] \"/\" n[3] \" \" \$i \"  \"}} END {print all}"'
# The same of milliseconds a step.
times='awk "/^Benchmark/ {print; fflush(); for (i = 2; i < NF; i++) if (\$(i+1) == \"ms/step\") {split(\$1, n, /[\/-]/); all = all n[2] \"/\" n[3] \" \" \$i \"  \"}} END {print all}"'
# A Python that has JAX, for the parts that time JAX; they print that there is none otherwise.
python=${PYTHON:-python3}
# A part of the table of experiments/fashion-mnist, which continues where the part before it ended. Its runs come back
# in runs.jsonl, which replaces the committed file.
table="test -d images || { echo no images; exit 0; }; test -e $results/runs.jsonl || cp runs.jsonl $results; \
    ./table -network lstm -gradients 3000 -draws 40 -device cuda -ppl ./ppl -images images -runs $results/runs.jsonl \
    -page $results/RESULTS.md -minutes 7"
short='--seed 1 --draws 50 --warmup 200'

part machine 30 'nvidia-smi; nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader'
part check 60 './gputest -test.v -test.run OnGPUCheck && ./ppl logprob examples/eight_schools.ppl --at at.json --device all | grep cuda'
part lstm 90 "./gputest -test.run '^\$' -test.bench OnGPULSTM -test.benchtime 10x | $times"
part steps 90 "./gputest -test.run '^\$' -test.bench OnGPUSteps -test.benchtime 20x | $steps"
part jax-lstm 90 "$python jax_steps.py lstm"
part jax-modes 60 "$python jax_steps.py modes"
part data 120 "./gputest -test.run '^\$' -test.bench OnGPUData -test.benchtime 20x | $steps"
part jax-data 90 "$python jax_steps.py data"
part modes 120 "./ppl sample examples/five_modes.ppl --device cuda --chains 512 $short --out $runs/modes.run && head -n 1 $runs/modes.out"
part native 120 "./ppl sample examples/five_modes.ppl --device native --chains 512 $short --out $runs/native.run && head -n 1 $runs/native.out"
part networks 90 './gputest -test.v -test.run "OnGPUNetworks|OnGPUProductsSameBytes" | grep -v ==='
part trajectories 60 './gputest -test.v -test.run OnGPUTrajectories | tail -n 12'
part bytes 60 './gputest -test.v -test.run OnGPUSameBytes'
part launches 30 "./gputest -test.run '^\$' -test.bench OnGPULaunches -test.benchtime 20x | grep ns/step | paste -sd ' '"
part copies 30 "./gputest -test.run '^\$' -test.bench OnGPUCopies -test.benchtime 20x | grep GB/s | paste -sd ' '"
for k in 1 2 3; do
    part "table-$k" 450 "$table"
done
part examples 120 './gputest -test.v -test.run OnGPUExamples | grep -v ==='
part points 240 './gputest -test.v -test.run "OnGPUPoints$|OnGPUPointsSameBytes" | grep -v ==='
part memory 60 './gputest -test.v -test.run OnGPUMemory'
part several 120 "test \$(nvidia-smi --list-gpus | wc -l) -gt 1 || { echo one GPU; exit 0; }; for d in cuda cuda:0; do ./ppl sample examples/five_modes.ppl --device \$d --chains 512 $short --out $runs/\$d.run --quiet && ./ppl export $runs/\$d.run --out $runs/\$d.csv; done; cmp $runs/cuda.csv $runs/cuda:0.csv && echo the same draws by all GPUs and by one"
part interrupt 30 "./ppl sample examples/eight_schools.ppl --device cuda --draws 10000000 --warmup 100 --out $runs/long.run & sleep 15; kill -INT \$!; wait \$!; echo exit code \$?, 130 is right"
part together 60 "for i in 1 2; do ./ppl sample examples/seeds.ppl --device cuda $short --out $runs/\$i.run --quiet >$runs/\$i.txt 2>&1 & done; wait; cat $runs/1.txt $runs/2.txt; head -qn 1 $runs/[12].txt | paste -sd ' '"
part fault 30 'PPL_GPU_FAULT=1 ./gputest -test.v -test.run OnGPUFault'
part conformance 300 './gputest -test.run OnGPUConformance'

echo
printf '%-14s %8s  %4s  %s\n' part seconds code result
sed -E 's/\{"part": "([^"]*)", "seconds": ([0-9.]+), "code": ([0-9]+), "result": "(.*)"\}/\1\t\2\t\3\t\4/' "$lines" |
    while IFS=$'\t' read -r name seconds code result; do printf '%-14s %8s  %4s  %s\n' "$name" "$seconds" "$code" "$result"; done
[ -z "$left" ] || echo "no time for:$left; start again with the same directory"
