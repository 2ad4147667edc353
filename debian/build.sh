#!/bin/sh
# Builds the Debian packages of a commit from a clean copy, and has lintian look at
# them.
#
# usage: debian/build.sh SRCDIR FOLDER [COMMIT]
#
# The packages are in FOLDER then. `dpkg-checkbuilddeps` says what has to be installed.
set -eu
srcdir=$1 folder=$2 commit=${3:-HEAD}
die () { echo "deb: $*" >&2; exit 1; }
for tool in git dpkg-buildpackage lintian; do
  command -v $tool > /dev/null || die "there is no $tool: apt-get install git dpkg-dev lintian"
done
version=$(git -C "$srcdir" show "$commit:debian/changelog" | sed -n '1s/.*(\(.*\)).*/\1/p')
[ -n "$version" ] || die "$srcdir: commit $commit has no debian/changelog"
mkdir -p "$folder"
rm -rf "$folder/tplan-$version" "$folder"/tplan_* "$folder"/libtplan*_* "$folder"/python3-tplan_*
git -C "$srcdir" archive --prefix="tplan-$version/" "$commit" | tar -C "$folder" -xf -
cd "$folder/tplan-$version"
dpkg-buildpackage -us -uc -j"${DEB_JOBS:-2}"
cd ..
lintian --fail-on error,warning --info --tag-display-limit 0 "tplan_${version}_$(dpkg --print-architecture).changes"
ls -l ./*.deb
