# What tests against torch share; sets $devices, or ends the test.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
TPLAN_COST=$work/cost.db
XDG_CONFIG_HOME=$work
POCL_CACHE_DIR=$work
export TPLAN_COST XDG_CONFIG_HOME POCL_CACHE_DIR
if ! "$TPLAN" devices > "$work/devices" 2>&1; then # no reason to skip anything
  sed 's/^/# /' "$work/devices"; echo "Bail out! tplan devices fails"; exit 99
fi
if ! grep -q '^ *cpu  *ready' "$work/devices"; then
  echo "1..0 # SKIP no cpu device: built without LLVM"; exit 0
fi
devices=cpu
if grep -q 'opencl:0  *ready' "$work/devices"; then devices=cpu,opencl:0,mixed; fi
