#!/bin/sh
# Runs a GTest program, the last argument: always with the same random numbers,
# so that what `make check` says depends on the code alone. `make check-full`
# sets TPLAN_TEST_FULL: new numbers each time, the seed is in the log.
# TPLAN_TEST_SEED=R02S... repeats such a run.
if [ -n "${TPLAN_TEST_SEED:-}" ]; then
  exec "$@" --seed "$TPLAN_TEST_SEED"
elif [ -n "${TPLAN_TEST_FULL:-}" ]; then
  exec "$@"
else
  exec "$@" --seed R02S6cf3d2a1e5b70948c1f6a2d7093b5e84
fi
