#!/bin/sh
# What is handed out runs on a Debian that has nothing else: the folder of `make
# bindist`, the packages of `make deb`, the wheel of `make wheel`, each in a fresh root
# of debootstrap and without being root there, SqueezeNet and the embed example; and
# again where the tree was moved. Part of `make check-full`; needs root, debootstrap
# and Debian's mirror. TPLAN_TEST_ROOT: a folder that debootstrap made, to be copied.
. "$top_srcdir/tests/cli/common.sh"
skip () { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
give_up () { echo "1..0 # SKIP $1"; exit 0; }
command -v debootstrap > /dev/null || give_up "no debootstrap"
[ "$(id -u)" -eq 0 ] && unshare -m true 2> /dev/null || give_up "not root, or no namespaces"
built=$(cd "$top_builddir" && pwd)
tarball=$(ls "$built"/tplan-*-linux-*.tar.xz 2> /dev/null | head -n 1)
debs=$(ls "$built"/_deb/*.deb 2> /dev/null | grep -v dbgsym)
wheel=$(ls "$built"/_wheel/tplan-*.whl 2> /dev/null | head -n 1)
model=$built/examples/squeezenet1_1.json
suite=$(. /etc/os-release; echo "${VERSION_CODENAME:-}")
unset TPLAN_MODULE_DIR

if [ -n "${TPLAN_TEST_ROOT:-}" ]; then
  cp -a "$TPLAN_TEST_ROOT" base > .out 2> .err; say $? "a root copied"
else
  debootstrap --variant=minbase "$suite" base > .out 2> .err || give_up "debootstrap: $(tail -n 1 .out)"
fi
cp /etc/resolv.conf base/etc/resolv.conf

# begin NAME: another root; where there is a user with a home.
begin ()
{
  root=$work/$1
  cp -a base "$root" && chroot "$root" useradd -m -u 1234 user
}
# within USER COMMAND: by the shell of the root, in the user's home. /proc and /dev
# are there as long as it runs.
cat > enter <<'SH'
root=$1 user=$2 command=$3
mount --bind /proc "$root/proc" && mount --bind /dev "$root/dev" || exit 99
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/home/user LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
  chroot --userspec="$user" "$root" sh -c 'cd "$HOME" && eval "$1"' sh "$command"
SH
within () { unshare -m sh enter "$root" "$1" "$2" > .out 2> .err; }
fetch () { within root "apt-get -q update && apt-get -qy install --no-install-recommends $*"; say $? "apt-get install $*"; }
end () { rm -rf "$root"; }

# ---- the folder that runs anywhere -------------------------------------------------

if [ -n "$tarball" ]; then
  begin folder
  # Unpacked from here: a root of the least kind has no xz.
  mkdir "$root/home/user/put" && tar -C "$root/home/user/put" -xf "$tarball" && chroot "$root" chown -R user: /home/user
  say $? "the folder is unpacked"
  for place in put "put elsewhere/again"; do
    if [ "$place" != put ]; then
      mkdir -p "$root/home/user/put elsewhere" && mv "$root/home/user/put" "$root/home/user/$place"
      say $? "the folder is moved"
    fi
    within user "cd '$place'/tplan-*/ && bin/tplan devices" && out_has '^cpu  *ready'; say $? "$place: there is a cpu"
    within user "cd '$place'/tplan-*/ && bin/tplan run --check --devices cpu --repeat 1 examples/squeezenet1_1.json" \
      && out_has '^check  *good'
    say $? "$place: SqueezeNet is right"
  done
  fetch gcc libc6-dev
  # As bindist/README.md says it.
  within user "cd '$place'/tplan-*/ && cc examples/embed.c -o embed -Iinclude -Iinclude/glib-2.0 \
    -Ilib/glib-2.0/include -Llib -Wl,--disable-new-dtags,-rpath,\"\$PWD/lib\" -ltplan -lglib-2.0"
  say $? "embed.c is compiled"
  within user "cd '$place'/tplan-*/ && ./embed examples/squeezenet1_1.json cpu" && out_has '^cpu: ' && out_has '^run 4: '
  say $? "and runs SqueezeNet"
  end
else
  skip "the folder" "no tarball: make bindist"
fi

# ---- Debian's packages -------------------------------------------------------------

if [ -n "$debs" ]; then
  begin packages
  cp $debs "$root/home/user/" && cp "$model" "$root/home/user/model.json"; say $? "packages are there"
  fetch './*.deb' gcc libc6-dev pkg-config
  within user "tplan devices" && out_has '^cpu  *ready'; say $? "packages: there is a cpu"
  within user "tplan run --check --devices cpu --repeat 1 model.json" && out_has '^check  *good'
  say $? "packages: SqueezeNet is right"
  within user 'gcc -Wall -Werror /usr/share/doc/libtplan-dev/examples/embed.c -o embed $(pkg-config --cflags --libs tplan)'
  say $? "packages: embed.c is compiled"
  within user "./embed model.json cpu" && out_has '^cpu: ' && out_has '^run 4: '; say $? "and runs SqueezeNet"
  within user "python3 /usr/share/doc/python3-tplan/examples/embed.py model.json cpu" && out_has '^cpu: ' && out_has '^run 4: '
  say $? "and so it does from Python"
  within user 'mkdir there && for it in *.deb; do dpkg -x $it there || exit; done; mv there "put elsewhere"'; say $? "unpacked without root, and moved"
  within root "apt-get -qy purge tplan libtplan0 && ! [ -e /usr/bin/tplan ] && ! ls /usr/lib/*/tplan"; say $? "packages are removed"
  within user 'cd "put elsewhere" && LD_LIBRARY_PATH=$(echo "$PWD"/usr/lib/*-gnu) usr/bin/tplan run --check --devices cpu --repeat 1 ../model.json' \
    && out_has '^check  *good'
  say $? "and still SqueezeNet is right where they were moved"
  end
else
  skip "packages" "none: make deb"
fi

# ---- the wheel -----------------------------------------------------------------------

if [ -n "$wheel" ]; then
  begin wheel
  cp "$wheel" "$top_srcdir/examples/embed.py" "$root/home/user/" && cp "$model" "$root/home/user/model.json"; say $? "a wheel is there"
  cat > "$root/home/user/right.py" <<'PY'
import numpy, tplan
graph = tplan.Graph("model.json")
plan = graph.optimize(devices="cpu")
plan.check()
assert set(plan.devices) == {"cpu"}, plan.devices
inputs = {it.name: numpy.random.default_rng(1).random(it.shape, "float32") for it in plan.inputs}
for name, wanted in graph.optimize(devices="ref").run(inputs).items():
    numpy.testing.assert_allclose(plan.run(inputs)[name], wanted, rtol=1e-3, atol=1e-6)
PY
  chmod a+r "$root"/home/user/*
  fetch python3-venv python3-numpy
  within user "python3 -m venv --system-site-packages env && env/bin/pip install --no-index --no-deps tplan-*.whl"
  say $? "the wheel is installed where there is numpy alone"
  within user "env/bin/python right.py"; say $? "wheel: SqueezeNet is right"
  within user "env/bin/python embed.py model.json cpu" && out_has '^cpu: ' && out_has '^run 4: '; say $? "wheel: embed.py runs SqueezeNet"
  within user 'mkdir elsewhere && mv env/lib/python3*/site-packages/tplan elsewhere/ && rm -r env'; say $? "the module is moved"
  within user "PYTHONPATH=elsewhere python3 right.py"; say $? "and still SqueezeNet is right"
  end
else
  skip "the wheel" "none: make wheel"
fi
finish
