#!/bin/sh
# Makes a wheel that holds the library, its module with LLVM inside, and the libraries
# they need but the C library: it works in a virtual environment with numpy alone.
#
# usage: wheel.sh SRCDIR BUILDDIR FOLDER
#
# BUILDDIR is one as bindist.sh wants it. The wheel goes into FOLDER. Where there is
# auditwheel, the wheel is named by the manylinux it finds it to be; else by "linux".
set -eu
srcdir=$1 build=$2 folder=$3
python=${PYTHON:-$(for it in python3 /usr/bin/python3; do
  if "$it" -c 'import setuptools, wheel' 2> /dev/null; then echo "$it"; break; fi; done)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
die () { echo "wheel: $*" >&2; exit 1; }
command -v dpkg > /dev/null || die "licences of libraries are looked up with dpkg"
command -v patchelf > /dev/null || die "there is no patchelf: apt-get install patchelf"
[ -n "$python" ] && "$python" -c 'import setuptools, wheel' 2> /dev/null || die "no python3 has setuptools and wheel: apt-get install python3-setuptools python3-wheel"

mkdir "$work/tree"
cp -r "$srcdir/python/pyproject.toml" "$srcdir/python/setup.py" "$srcdir/python/README.md" "$srcdir/python/tplan" "$srcdir/LICENSE" "$work/tree/"
rm -rf "$work/tree/tplan/__pycache__"
lib=$work/tree/tplan/lib
for part in api kernel; do
  make -s -C "$build/$part" install DESTDIR="$work/root" > "$work/log" 2>&1 || { cat "$work/log" >&2; die "make install failed"; }
done
installed=$(dirname "$(find "$work/root" -name libtplan.so.0)")
mkdir -p "$lib/tplan" "$lib/licences"
cp -L "$installed/libtplan.so.0" "$lib/"
cp "$installed/tplan/jit-llvm.so" "$lib/tplan/"

# The C library is the machine's.
ldd "$lib/libtplan.so.0" "$lib/tplan/jit-llvm.so" | sed -n 's/^\t\([^ ]*\) => \(\/[^ ]*\) .*/\1 \2/p' | sort -u > "$work/needs"
while read -r soname path; do
  case $soname in
    libtplan.* | libc.so.* | libm.so.* | libdl.so.* | libpthread.so.* | librt.so.*) continue ;;
    libLLVM*) die "$soname is linked, not inside the module: configure --with-static-llvm" ;;
  esac
  real=$(readlink -f "$path")
  cp "$real" "$lib/$soname"
  package=$(dpkg -S "$real" 2> /dev/null || dpkg -S "${real#/usr}" 2> /dev/null) || die "no package has $real: under which licence is it?"
  package=${package%%:*}
  cp "/usr/share/doc/$package/copyright" "$lib/licences/$package" || die "no licence of $package"
  echo "$soname is of $package $(dpkg-query -W -f '${Version}' "$package")" >> "$lib/licences/README"
done < "$work/needs"
for package in llvm-15-dev libstdc++-12-dev; do
  if [ -e "/usr/share/doc/$package/copyright" ]; then
    cp "/usr/share/doc/$package/copyright" "$lib/licences/$package"
    echo "inside tplan/jit-llvm.so: $package" >> "$lib/licences/README"
  fi
done
find "$lib" -name '*.so*' -exec strip --strip-unneeded {} +
# Each finds the others, whoever loads it.
find "$lib" -maxdepth 1 -name '*.so*' -exec patchelf --force-rpath --set-rpath '$ORIGIN' {} \;
patchelf --force-rpath --set-rpath '$ORIGIN/..' "$lib/tplan/jit-llvm.so"

make_wheel () # OPTION...
{
  rm -rf "$work/made" "$work/tree/build"
  (cd "$work/tree" && "$python" setup.py -q bdist_wheel -d "$work/made" "$@") > "$work/log" 2>&1 || { cat "$work/log" >&2; die "setup.py failed"; }
  made=$(ls "$work"/made/*.whl)
}
make_wheel
mkdir -p "$folder"
if command -v auditwheel > /dev/null; then
  tag=$(auditwheel show "$made" 2> "$work/log" | tr '\n' ' ' | sed -n 's/.*platform tag: *"\([a-z0-9_]*\)"\. .*/\1/p')
  [ -n "$tag" ] || { cat "$work/log" >&2; die "auditwheel tells no platform"; }
  # It holds all it needs already: nothing is to be repaired, only named.
  make_wheel --plat-name "$tag"
else
  echo "wheel: no auditwheel: the wheel is of this kind of linux, with its C library or a newer one"
fi
mv "$made" "$folder/"
ls -l "$folder/$(basename "$made")"
