#!/bin/sh
# The tests that came with releases 1.2 to 1.22 of ONNX: each speaks the opset
# of its day, 6 to 27, as files of that age do (1.12 is what Debian has). Part of
# `make check-full`: pip fetches 170 MB of wheels, which stay in the build.
set -u
python=${PYTHON:-python3}
if ! "$python" -m pip --version > /dev/null 2>&1; then
  echo "1..0 # SKIP $python has no pip"; exit 0
fi

# Release, CPython of the wheel, passed on ref and on cpu.
releases='1.2.1 36:cp36m 411 409
1.3.0 36:cp36m 454 450
1.4.1 36:cp36m 494 481
1.5.0 36:cp36m 524 511
1.6.0 36:cp36m 658 642
1.7.0 36:cp36m 843 843
1.8.0 36:cp36m 870 870
1.9.0 36:cp36m 904 904
1.10.2 39:cp39 929 929
1.11.0 39:cp39 943 943
1.13.1 311:cp311 1152 1152
1.14.1 311:cp311 1222 1222
1.16.2 311:cp311 1302 1302
1.18.0 311:cp311 1434 1434
1.22.0 311:cp311 1786 1786'

# Tests that were wrong, as later releases say.
is_wrong ()
{
  case $1 in
    1.4.1:simple/test_shrink) ;;                        # [1, 5] said, [5] given
    1.5.0:node/test_mod_float_mixed_sign_example) ;;    # without fmod
    1.6.0:node/test_resize_upsample_sizes_nearest_*) ;; # without nearest_mode
    1.6.0:node/test_unique_not_sorted_without_axis) ;;  # sorted all the same
    1.7.0:node/test_*momentum*) ;;                      # other results from 1.8 on
    1.13.1:node/test_col2im_pads) ;;                    # and from 1.14 on
    1.9.0:node/test_convtranspose_autopad_same) ;;      # pads the wrong side
    1.13.1:node/test_softplus_*expanded) ;;             # says opset 1, needs 7
    1.16.2:node/test_averagepool_3d_dilations_*) ;;     # counts no padding
    1.1[34].*:node/test_castlike*BFLOAT16*) ;;          # [3, 4] said, [1] given
    1.1[68].*:node/test_qlinearmatmul_?D_int8_*) ;;     # not held to the range
    1.1[68].*:node/test_cast_FLOAT*_to_*INT4) ;;        # held to the range
    1.18.0:node/test_cast_FLOAT*_to_FLOAT4E2M1) ;;      # makes 6 of NaN
    1.18.0:node/test_attention_?d*) ;;                  # heads in another order
    1.18.0:node/test_rotary_embedding_*rotary_dim) ;;   # caches of all pairs
    1.[789].*:node/test_adam_multiple) ;;             # an epsilon not said
    1.1?.*:node/test_adam_multiple) ;;                 # likewise
    *:node/test_bernoulli*) ;;                          # drawn by another generator
    *:node/test_training_dropout | *:node/test_training_dropout_default) ;;
    *:node/test_training_dropout_mask | *:node/test_training_dropout_default_mask) ;;
    *) return 1 ;;
  esac
}

fetch () # RELEASE VERSION:ABI: into releases/RELEASE
{
  [ ! -d "releases/$1" ] || return 0
  mkdir -p releases
  "$python" -m pip download -q --no-deps --only-binary=:all: \
    --implementation cp --python-version "${2%:*}" --abi "${2#*:}" \
    --platform manylinux1_x86_64 --platform manylinux2010_x86_64 \
    --platform manylinux2014_x86_64 --platform manylinux_2_28_x86_64 \
    -d releases "onnx==$1" || return 1
  "$python" -m zipfile -e "releases/onnx-$1"-*.whl "releases/$1.part" \
    && mv "releases/$1.part" "releases/$1"
}

n=0
walk () # RELEASE DEVICE AT_LEAST
{
  n=$((n + 1))
  TPLAN_ONNX_TESTDATA=releases/$1/onnx/backend/test/data ./backend --verbose "$2" > "releases/$1-$2"
  passed=$(awk '$1 == "total" { print $2 }' "releases/$1-$2")
  verdict=ok
  [ "${passed:-0}" -ge "$3" ] || verdict='not ok'
  for test in $(sed -n 's/: \(failed\|crashed\): .*//p' "releases/$1-$2"); do
    is_wrong "$1:$test" || { verdict='not ok'; echo "# $test"; }
  done
  echo "$verdict $n - ONNX $1 on $2: $passed passed, at least $3"
}

case $("$TPLAN" devices 2>&1) in
  *cpu*ready*) devices='ref cpu' ;;
  *) devices=ref ;;
esac
echo "$releases" > releases.list
while read -r release wheel ref cpu; do
  if ! fetch "$release" "$wheel" > fetch.log 2>&1; then
    n=$((n + 1))
    echo "ok $n - ONNX $release # SKIP $(tail -n 1 fetch.log)"
    continue
  fi
  for device in $devices; do
    eval "walk $release $device \$$device"
  done
done < releases.list
echo "1..$n"
