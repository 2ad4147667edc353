#!/bin/sh
# What `make bindist` packs runs where it was unpacked, with an empty environment and in
# a folder in which there is nothing else, with the machine's C library and its own.
# Part of `make check-full`; needs the tarball in the top of the build.
. "$top_srcdir/tests/cli/common.sh"
skip () { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
tarball=$(ls "$top_builddir"/tplan-*-linux-*.tar.xz 2> /dev/null | head -n 1)
if [ -z "$tarball" ]; then echo "1..0 # SKIP no tarball: make bindist"; exit 0; fi
unset TPLAN_MODULE_DIR

[ "$(stat -c %s "$tarball")" -le 47185920 ]; say $? "at most 45 MiB"
mkdir "with blank" && tar -C "with blank" -xf "$tarball" && mv "with blank"/tplan-* "with blank/tplan"
say $? "it unpacks"
root="$work/with blank/tplan"

alone () { env -i HOME="$work" TPLAN_GLIBC="$glibc" "$@" > .out 2> .err; }
elf=$(find "$root" -type f -exec sh -c 'head -c 4 "$1" | grep -q ELF' sh {} \; -print)
count=$(echo "$elf" | grep -c .)
llvm=$(echo "$elf" | while IFS= read -r file; do ldd "$file" 2> /dev/null | grep -i llvm; done)
[ "$count" -gt 20 ] && [ -z "$llvm" ]; say $? "nothing is linked with libLLVM"
nm -D --defined-only "$root/lib/tplan/jit-llvm.so" > .out 2> .err
[ "$(grep -c . .out)" -eq 1 ] && out_has tp_jit_module; say $? "the module shows nothing of its LLVM"
! grep -aq 'libLLVM-' "$root/lib/tplan/jit-llvm.so"; say $? "and asks for no other"

for glibc in system own; do
  alone "$root/bin/tplan" devices && out_has '^cpu  *ready'; say $? "$glibc glibc: there is a cpu"
  alone "$root/bin/tplan" run --check --devices cpu --warmup 1 --repeat 1 "$root/examples/squeezenet1_1.json" \
    && out_has '^check  *good'
  say $? "$glibc glibc: SqueezeNet is right"
  alone "$root/bin/tplan" optimize -f --devices cpu "$root/examples/mlp.json" -o p.json -o p.svg \
    && alone "$root/bin/tplan" check p.json && grep -q '</svg>' p.svg
  say $? "$glibc glibc: a plan, its proof and its picture"
  alone "$root/bin/tplan" calibrate --devices cpu --time-limit 20 --cost calibrated.db "$root/examples/mlp.json"
  code=$?; [ $code -eq 0 ] || [ $code -eq 4 ]; say $? "$glibc glibc: children calibrate"
done
glibc=
alone "$root/bin/tplan" nonsense; [ $? -eq 2 ]; say $? "the exit status is the program's"
alone "$root/bin/tplan" optimize -f "$root/examples/mlp.json" -o p.png
[ $? -eq 1 ] && err_has "plugin"; say $? "what it cannot draw it says"

# The report on GPUs from the folder, on the OpenCL device there is, if there is one.
alone PATH="$PATH" sh "$root/bench/gpu.sh" --quick --time 60 --only products report
code=$?; [ -s report/gpu.json ] && grep -q '^"complete": true' report/gpu.json \
  && { [ $code -eq 1 ] || grep -q '"n": [0-9]*, "measured_ns": [1-9]' report/gpu.json; }
say $? "bench/gpu.sh: status $code"

flags=$(PKG_CONFIG_LIBDIR="$root/lib/pkgconfig" pkg-config --cflags --libs tplan)
eval "${CC:-cc} \"\$root/examples/embed.c\" -o embed $flags" > .out 2> .err
say $? "embed.c builds through pkg-config, with GLib's headers from the folder"
alone ./embed "$root/examples/mlp.json" cpu && out_has '^run 4:'; say $? "and runs"
ldd ./embed | grep -v 'lib[cm]\.so\|ld-linux\|vdso' | grep -v "$root" > .out
! [ -s .out ]; say $? "with libraries of the folder alone"

# Nothing but the folder, /proc and /dev: no shell, no library, no loader.
mkdir -p bare/proc bare/dev bare/home && cp -al "$root" bare/tplan
cat > enter <<'SH'
mount --rbind /proc "$1/proc" && mount --rbind /dev "$1/dev" || exit 77
chroot=$(command -v chroot || echo /usr/sbin/chroot); folder=$1; shift
exec env -i HOME=/home "$chroot" "$folder" "$@"
SH
if unshare -rm sh enter bare /tplan/bin/tplan --version > .out 2> .err; then
  unshare -rm sh enter bare /tplan/bin/tplan run --check --repeat 1 --warmup 0 \
    /tplan/examples/squeezenet1_1.json > .out 2> .err && out_has '^check  *good'
  say $? "in an empty folder: SqueezeNet is right"
elif err_has 'unshare\|mount\|permitted'; then
  skip "in an empty folder" "no namespaces: $(head -n 1 .err)"
else
  say 1 "in an empty folder"
fi

# Every file of others is under a licence that is there.
ls "$root/licences" > .out
bad=$(cd "$root" && find lib -name '*.so*' -type f ! -name 'libtplan*' ! -name jit-llvm.so ! -name ld.so | while IFS= read -r file; do
  grep -q "    $file\$" licences/README || echo "$file"; done)
[ -z "$bad" ] && grep -q . "$root/licences/libglib2.0-0"; say $? "licences $bad"
finish
