#!/bin/sh
# debian/ and the tree tell the same: the version, what is built with what, the
# functions of the library; and each file that is installed is in one package.
. "$top_srcdir/tests/tap.sh"
LC_ALL=C; export LC_ALL
debian=$top_srcdir/debian
: > "$work/log"
# differ NAME: what "told" has and "found" has not, and the other way round.
differ ()
{
  diff "$work/told" "$work/found" > "$work/log"; say $? "$1"
  : > "$work/log"
}

sed -n '1s/^tplan (\([^)-]*\).*/\1/p' "$debian/changelog" > "$work/told"
sed -n 's/^AC_INIT(\[tplan\], \[\(.*\)\])$/\1/p' "$top_srcdir/configure.ac" > "$work/found"
[ -s "$work/found" ]; say $? "configure.ac has a version"
differ "debian/changelog has the version of configure.ac"

# debhelper brings autotools and the compiler is essential to building.
sed -n '/^# build/,/^# tests/p' "$top_srcdir/debian-packages" | grep -v '^#' \
  | grep -vxE 'autoconf|automake|gcc|libtool|make|pocl-opencl-icd' | sort > "$work/found"
sed -n '/^Build-Depends:/,/^Standards/p' "$debian/control" | sed 's/^Build-Depends://; /^Standards/d' \
  | tr ',' '\n' | tr -d ' ' | grep -vE '^$|^debhelper|^dh-|^python3$' | sort > "$work/told"
differ "Build-Depends are those of debian-packages"

sed -n 's/^ \(tplan_[a-z_0-9]*\)@Base .*/\1/p' "$debian/libtplan0.symbols" | sort > "$work/told"
sed 's,^ \*.*,,' "$top_srcdir/include/tplan.h" | grep -o 'tplan_[a-z_0-9]* (.*[,;]$' | sed 's/ .*//' | sort -u > "$work/found"
[ "$(wc -l < "$work/found")" -ge 15 ]; say $? "tplan.h declares functions"
differ "libtplan0.symbols has the functions of tplan.h: a new one is a line there, ' NAME@Base VERSION'"

soname=$(sed -n 's/.*-version-info \([0-9]*\):[0-9]*:\([0-9]*\).*/\1 \2/p' "$top_srcdir/api/Makefile.am" | { read -r a b; echo $((a - b)); })
sed -n 's/^Package: \(libtplan[0-9]*\)$/\1/p' "$debian/control" > "$work/told"
echo "libtplan$soname" > "$work/found"
differ "the library's package is named by the soname"

# As the packages see it: prefix /usr, a folder of libraries by architecture.
# All of it, whatever part of the tests make was asked for.
MAKEFLAGS= make -s -C "$top_builddir" install DESTDIR="$work/root" > "$work/log" 2>&1; say $? "make install"
: > "$work/log"
pc=$(find "$work/root" -name tplan.pc)
prefix=$(sed -n 's/^prefix=//p' "$pc")
libdir=$(dirname "$(dirname "$pc")")
libdir=${libdir#"$work/root$prefix"/}
(cd "$work/root$prefix" && find . ! -type d) | sed 's,^\./,usr/,' \
  | sed "s,^usr/$libdir/,usr/lib/ARCH/,; s,zsh/site-functions,zsh/vendor-completions," | sort > "$work/installed"
[ -s "$work/installed" ]; say $? "files are installed"
for list in "$debian"/*.install "$debian/not-installed"; do
  awk '{ print $1 }' "$list" | sed "s,^,$(basename "$list") ,"
done > "$work/patterns"
: > "$work/claimed"
while read -r list pattern; do
  expression=$(echo "$pattern" | sed 's,[.+],\\&,g; s,\*,.*,g; s,/lib/\.\*/,/lib/ARCH/,')
  # cp takes folders too: what is below one is installed with it.
  grep -E "^$expression(/.*)?\$" "$work/installed" > "$work/matched"
  cat "$work/matched" >> "$work/claimed"
  # A build may be without LLVM.
  case $pattern in */jit-llvm.*) continue ;; esac
  [ -s "$work/matched" ]; say $? "$list: $pattern is installed"
done < "$work/patterns"
sort "$work/claimed" > "$work/found"
cp "$work/installed" "$work/told"
differ "each file that is installed is in one package, or in debian/not-installed"
for list in "$debian"/*.examples "$debian"/*.docs; do
  [ -e "$list" ] || continue
  while read -r file; do
    [ -e "$top_srcdir/$file" ]; say $? "$(basename "$list"): $file is there"
  done < "$list"
done
for package in $(sed -n 's/^Package: //p' "$debian/control"); do
  [ -e "$debian/$package.install" ]; say $? "$package has a list of files"
done
for list in "$debian"/*.install; do
  grep -qx "Package: $(basename "$list" .install)" "$debian/control"; say $? "$(basename "$list") is of a package"
done
for test in $(sed -n 's/^Tests: //p' "$debian/tests/control"); do
  [ -x "$debian/tests/$test" ] && sh -n "$debian/tests/$test"; say $? "debian/tests/$test is a script"
done
finish
