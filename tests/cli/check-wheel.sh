#!/bin/sh
# What `make wheel` makes works in a virtual environment with numpy alone and with
# nothing of this build in reach. Part of `make check-full`.
. "$top_srcdir/tests/cli/common.sh"
wheel=$(ls "$top_builddir"/_wheel/tplan-*.whl 2> /dev/null | head -n 1)
if [ -z "$wheel" ]; then echo "1..0 # SKIP no wheel: make wheel"; exit 0; fi
# numpy is Debian's: nothing is fetched.
if ! /usr/bin/python3 -m venv --system-site-packages env > .out 2>&1 || ! env/bin/python -c 'import numpy' 2> .err; then
  echo "1..0 # SKIP no python3-venv, or no python3-numpy"; exit 0
fi
alone () { env -i HOME="$work" PATH=/usr/bin:/bin "$@" > .out 2> .err; }
case_ () { alone env/bin/python -; say $? "$1"; }

alone env/bin/pip install --no-index --no-deps "$wheel"; say $? "$(basename "$wheel") is installed"
case_ "it uses its own library and those that it holds" <<'PY'
import os, tplan
folder = os.path.join(os.path.dirname(tplan.__file__), "lib")
mapped = {line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}
for name in ("libtplan", "libglib-2.0", "libjansson", "libsqlite3"):
    found = [it for it in mapped if os.path.basename(it).startswith(name)]
    assert found and all(os.path.dirname(it) == folder for it in found), found
assert not any("libLLVM" in it for it in mapped)
PY
cp "$top_builddir/examples/squeezenet1_1.json" model.json
case_ "SqueezeNet is planned, proved, and right on kernels that are compiled" <<'PY'
import numpy, tplan
graph = tplan.Graph("model.json", assume_dims=True)
plan = graph.optimize(devices="cpu")
plan.check()
inputs = {it.name: numpy.random.default_rng(1).random(it.shape, "float32") for it in plan.inputs}
for name, wanted in graph.optimize(devices="ref").run(inputs).items():
    numpy.testing.assert_allclose(plan.run(inputs)[name], wanted, rtol=1e-3, atol=1e-6)
PY
case_ "its children calibrate" <<'PY'
import tplan
graph = tplan.Graph("mlp.json")
graph.calibrate(devices="cpu", costs="own.db", time_limit_s=60)
assert graph.optimize(devices="cpu", costs="own.db").n_estimated < 4
PY
finish
