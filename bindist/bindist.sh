#!/bin/sh
# Packs a build into a folder that runs anywhere, without root and with nothing
# installed: programs, library, module, all libraries they need but the C library,
# and that for machines whose own is too old.
#
# usage: bindist.sh SRCDIR BUILDDIR VERSION OUT.tar.xz
#
# BUILDDIR is configured with --with-static-llvm and linked with a DT_RPATH of
# $ORIGIN/../lib, as `make bindist` does: that of a program or library holds for what
# it loads too, so libraries of others are copied as they are.
set -eu
srcdir=$1 build=$2 version=$3 out=$4
arch=$(uname -m)
max_bytes=47185920
name=tplan-$version-linux-$arch
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
stage=$work/$name
glibc='ld-linux-x86-64.so.2 libc.so.6 libm.so.6 libdl.so.2 libpthread.so.0 librt.so.1
  libresolv.so.2 libutil.so.1 libanl.so.1 libnss_dns.so.2 libnss_files.so.2'

die () { echo "bindist: $*" >&2; exit 1; }
[ "$arch" = x86_64 ] || die "made for x86_64, this is $arch"
command -v dpkg > /dev/null || die "licences of libraries are looked up with dpkg"

is_elf () { [ "$(head -c 4 "$1" | od -An -c | tr -d ' ')" = '177ELF' ]; }
list_elf () { find "$stage" -type f | while IFS= read -r file; do if is_elf "$file"; then echo "$file"; fi; done; }
is_glibc () { case " linux-vdso.so.1 $(echo $glibc) " in *" $1 "*) return 0 ;; *) return 1 ;; esac; }

# ---- what is ours ------------------------------------------------------------

# What changed since is linked here.
make -s -C "$build" install DESTDIR="$work/root" LDFLAGS='-Wl,--disable-new-dtags,-rpath,\$$ORIGIN/../lib' > "$work/log" 2>&1 \
  || { cat "$work/log" >&2; die "make install failed"; }
prefix=$work/root$(sed -n 's/^prefix=//p' "$build/tplan.pc")
mkdir -p "$stage"
mv "$prefix"/* "$stage/"
rm -f "$stage"/lib/*.la "$stage"/lib/tplan/*.la
for program in tests/device/test-conformance tests/codegen/test-schedule-opencl bench/gpu-links; do
  "$build/libtool" --mode=install install -c "$build/$program" "$stage/libexec/$(basename $program)" > /dev/null
done
for file in "$stage"/libexec/* "$stage"/lib/libtplan.so.*.*; do
  objdump -p "$file" | grep -q '  RPATH  *\$ORIGIN/../lib$' \
    || die "$(basename "$file") takes the machine's libraries: it was linked by another make than bindist: rm -r $build"
done
mkdir -p "$stage/bench" "$stage/examples"
cp "$srcdir/bench/gpu.sh" "$srcdir/bench/gpu-torch.py" "$srcdir/bench/torch_bert.py" "$stage/bench/"
cp "$srcdir/examples/mlp.json" "$srcdir/examples/npu.conf" "$srcdir/examples/embed.c" "$srcdir/examples/README.md" "$build"/examples/*.json "$stage/examples/"
cp "$srcdir/LICENSE" "$srcdir/NEWS" "$stage/"
cp "$srcdir/bindist/README.md" "$stage/README.md"
cp "$srcdir/docs/gpu.md" "$srcdir/docs/licences.md" "$srcdir/bindist/launch.c" "$stage/share/doc/tplan/"

# ---- what others made ----------------------------------------------------------

mkdir -p "$work/of"          # of whom is which file: package names
copy () # FILE FOLDER
{
  real=$(readlink -f "$1")
  cp "$real" "$2/$(basename "$1")"
  package=$(dpkg -S "$real" 2> /dev/null || dpkg -S "${real#/usr}" 2> /dev/null) || die "no package has $real: under which licence is it?"
  package=${package%%:*}
  echo "$2/$(basename "$1")" | sed "s|^$stage/||" >> "$work/of/$package"
}

plugins=$(dirname "$(ldd "$stage/libexec/tplan" | sed -n 's/.*libgvc[^ ]* => \([^ ]*\) .*/\1/p')")/graphviz
mkdir -p "$stage/lib/graphviz"
for plugin in core dot_layout; do copy "$plugins"/libgvplugin_$plugin.so.6 "$stage/lib/graphviz"; done
awk '/^[^\t#}]/ { keep = /_(core|dot_layout)\./ } keep' "$plugins/config6a" > "$stage/lib/graphviz/config6a"

# What they need, and what that needs: ldd knows the closure.
list_elf > "$work/elf"
while IFS= read -r file; do
  ldd "$file" | sed -n 's/^\t\([^ ]*\) => \(\/[^ ]*\) .*/\1 \2/p'
done < "$work/elf" | sort -u > "$work/needs"
while read -r soname path; do
  is_glibc "$soname" || [ -e "$stage/lib/$soname" ] || copy "$path" "$stage/lib"
done < "$work/needs"
if ls "$stage"/lib/libLLVM* > /dev/null 2>&1; then die "something is linked with libLLVM"; fi

mkdir -p "$stage/lib/glibc"
libc=$(ldd "$stage/libexec/tplan" | sed -n 's/.*libc\.so\.6 => \([^ ]*\) .*/\1/p')
for file in $glibc; do copy "$(dirname "$libc")/$file" "$stage/lib/glibc"; done
mv "$stage/lib/glibc/ld-linux-x86-64.so.2" "$stage/lib/glibc/ld.so"
ln -s ld.so "$stage/lib/glibc/ld-linux-x86-64.so.2"

# A program that embeds libtplan includes GLib's headers.
headers=$(pkg-config --cflags-only-I glib-2.0 | tr ' ' '\n' | sed -n 's/^-I//p')
for folder in $headers; do
  case $folder in
    */include/glib-2.0) mkdir -p "$stage/include/glib-2.0"
      for part in glib glib.h gmodule.h glib-object.h gobject; do
        if [ -e "$folder/$part" ]; then cp -r "$folder/$part" "$stage/include/glib-2.0/"; fi; done ;;
    */lib*/glib-2.0/include) mkdir -p "$stage/lib/glib-2.0/include"; cp "$folder/glibconfig.h" "$stage/lib/glib-2.0/include/" ;;
  esac
done
rm -rf "$stage/include/glib-2.0/gobject" "$stage/include/glib-2.0/glib-object.h"
ln -s libglib-2.0.so.0 "$stage/lib/libglib-2.0.so"
cat > "$stage/lib/pkgconfig/tplan.pc" <<PC
prefix=\${pcfiledir}/../..
libdir=\${prefix}/lib
includedir=\${prefix}/include

Name: tplan
Description: Places a tensor graph on the devices of one machine and runs it
Version: $version
Libs: -L\${libdir} -Wl,--disable-new-dtags,-rpath,\${libdir} -ltplan -lglib-2.0
Cflags: -I\${includedir} -I\${includedir}/glib-2.0 -I\${libdir}/glib-2.0/include
PC

# ---- the whole -------------------------------------------------------------------

list_elf > "$work/elf"
while IFS= read -r file; do
  case $file in "$stage"/lib/glibc/*) ;; *) strip --strip-unneeded "$file" ;; esac
done < "$work/elf"
# The latest glibc that anything of it asks for.
needed=$(while IFS= read -r file; do
    case $file in "$stage"/lib/glibc/*) ;; *) objdump -T "$file" ;; esac
  done < "$work/elf" | sed -n 's/.*(\{0,1\}GLIBC_2\.\([0-9][0-9]*\).*/\1/p' | sort -n | tail -n 1)
mkdir "$stage/bin"
${CC:-cc} -std=gnu11 -O2 -Wall -Wextra -static "-DNEEDED_MINOR=$needed" -o "$stage/bin/tplan" "$srcdir/bindist/launch.c"
strip "$stage/bin/tplan"
for program in "$stage"/libexec/test-* "$stage"/libexec/gpu-*; do ln "$stage/bin/tplan" "$stage/bin/$(basename "$program")"; done

mkdir "$stage/licences"
for package in "$work"/of/*; do
  package=$(basename "$package")
  cp "/usr/share/doc/$package/copyright" "$stage/licences/$package" || die "no licence of $package"
done
for package in llvm-15-dev libstdc++-12-dev libc6-dev; do
  if [ -e "/usr/share/doc/$package/copyright" ]; then cp "/usr/share/doc/$package/copyright" "$stage/licences/$package"; fi
done
{ echo "What is in this folder and was made by others, and by which package of $(. /etc/os-release; echo "$PRETTY_NAME");"
  echo "licences/PACKAGE is its licence, and the package's source is there."
  echo
  for package in "$work"/of/*; do
    echo "$(basename "$package") $(dpkg-query -W -f '${Version}\n' "$(basename "$package")" | head -n 1)"
    sed 's/^/    /' "$package"
  done
  echo "in lib/tplan/jit-llvm.so: LLVM (llvm-15-dev), libstdc++; in bin/: glibc (libc6-dev)"
} > "$stage/licences/README"
echo "$needed" > "$stage/lib/glibc/needed-minor"

tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@${SOURCE_DATE_EPOCH:-$(stat -c %Y "$srcdir/configure")}" \
  -cf - "$name" | xz -6 -T0 > "$out.tmp"
size=$(stat -c %s "$out.tmp")
[ "$size" -le "$max_bytes" ] || die "$out has $size bytes; at most $max_bytes are wanted"
mv "$out.tmp" "$out"
echo "$out: $size bytes, unpacked $(du -sk "$stage" | cut -f 1) KiB, needs glibc 2.$needed or its own"
