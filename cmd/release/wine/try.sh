#!/usr/bin/env bash
# try.sh ARCHIVE.zip runs the program for Windows under wine: a model and a table with carriage returns and a byte order
# mark, paths with backslashes and spaces, the same draws as the program of this system gives, and a run that is killed
# and continued.
set -euo pipefail
archive=$(realpath "$1") source=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
# wineserver ends with the last program, some seconds later.
trap 'wineserver -k 2>/dev/null || true; rm -rf "$work"' EXIT
export WINEDEBUG=-all WINEPREFIX=$work/wine WINEDLLOVERRIDES=mscoree,mshtml=
wine wineboot --init >/dev/null 2>&1
system=$WINEPREFIX/drive_c/windows/system32
[[ -e $system/bcryptprimitives.dll ]] ||
    x86_64-w64-mingw32-gcc -shared -o "$system/bcryptprimitives.dll" "$source/prng.c" -ladvapi32
unzip -q -d "$work/unpacked" "$archive"
program=$(echo "$work"/unpacked/*/ppl.exe)
ppl() { wine "$program" "$@"; }

folder="$work/two words"
mkdir -p "$folder/my models"
cd "$folder"
printf '\xef\xbb\xbfdose,response\r\n1,2.1\r\n2,3.9\r\n3,6.2\r\n4,7.8\r\n' >'my models/own.csv'
printf 'data dose[N], response[N] from "own.csv"\r\na, b ~ Normal(0, 10)\r\nsigma ~ HalfNormal(5)\r\n%s\r\n' \
    'response[i in N] ~ Normal(a + b * dose[i], sigma)' >'my models/own.ppl'
ppl check 'my models\own.ppl' >check.txt
ppl sample 'my models\own.ppl' --seed 1 --quiet --draws 200 --warmup 300 --out 'my runs\first run' >/dev/null
ppl plot 'my runs\first run' trace --out 'my runs\trace.svg'
[[ -s my\ runs/trace.svg ]]
echo "wine: a table and a model with carriage returns, paths with backslashes and spaces"

if command -v "${PPL_HERE:-}" >/dev/null; then
    "$PPL_HERE" sample 'my models/own.ppl' --seed 1 --quiet --draws 200 --warmup 300 --device host --out here >/dev/null
    ppl summary 'my runs\first run' | tr -d '\r' >windows.txt
    "$PPL_HERE" summary here >here.txt
    diff <(grep -E '^ *(a|b|sigma) ' windows.txt) <(grep -E '^ *(a|b|sigma) ' here.txt)
    echo "wine: the same summary as here"
fi

wine "$program" sample 'my models\own.ppl' --seed 1 --quiet --draws 10000 --warmup 300 --out long >/dev/null 2>&1 &
running=$!
for _ in {1..600}; do
    [[ -e long/checkpoint ]] && break
    sleep .1
done
kill -9 $running
wait $running 2>/dev/null || true
if grep -q '"status": "finished"' long/run.json; then
    echo "wine: the run had ended before it was killed"
    exit 1
fi
ppl sample long --resume --quiet >/dev/null
ppl sample 'my models\own.ppl' --seed 1 --quiet --draws 10000 --warmup 300 --out whole >/dev/null
diff <(ppl summary long | tail -n +2) <(ppl summary whole | tail -n +2) # the first line has the time
echo "wine: a run that was killed continues, to the draws of a run that was not"
