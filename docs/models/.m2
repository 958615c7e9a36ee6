#!/bin/sh
# The figures in der.md, in modal.md those of turning supports, and in pbd.md those of sweeps, measured anew.
#
#   docs/models/measure [PROGRAM]     (default: build/cordage)
set -eu
cd "$(dirname "$0")/../.."
program=${1:-build/cordage}
scenes=docs/models
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

run() { # SCENE OPTION...: leaves its probes in probes.csv
    "$program" run "$@" -q --force -o "$work/run.h5" && "$program" export "$work/run.h5" --probes -o "$work/probes.csv" >/dev/null 2>&1
}

fall() { # PBD: as the loops below have it, by these settings of pbd; fails where the run is stopped
    run $scenes/fall.json --step $step --set "rods[0].material.young=$young" --set "rods[0].elements=$elements" --set "rods[0].pbd=$1" 2>/dev/null
}
echo "A cantilever let go: how far its tip is off at any time up to 0.5 s, against steps solved to the end [m]"
echo "  young, elements, step: direct, one iteration; 10, 100 and 1000 sweeps"
for young in 1e6 1e9; do
    for elements in 10 50 200; do
        for step in 0.016666666666666666 0.0016666666666666666; do
            fall '{"tolerance": 1e-14, "iterations": 400}'
            mv "$work/probes.csv" "$work/solved.csv"
            printf '  %s %3d %.4f:' $young $elements $step
            for pbd in '{}' '{"iterations": 1}' '{"method": "sweeps", "iterations": 10}' '{"method": "sweeps", "iterations": 100}' \
                '{"method": "sweeps", "iterations": 1000}'; do
                if fall "$pbd"; then
                    paste -d, "$work/solved.csv" "$work/probes.csv" | awk -F, 'NR > 1 {
                        d = sqrt(($2 - $6)^2 + ($3 - $7)^2 + ($4 - $8)^2); if (d > most) most = d } END { printf " %.0e", most }'
                else
                    printf ' stopped'
                fi
            done
            echo
        done
    done
done
