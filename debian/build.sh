#!/bin/sh
# Builds the Debian packages of a commit from a clean copy, and has lintian look at
# them.
#
# usage: debian/build.sh SRCDIR FOLDER [COMMIT]
#
# The packages are in FOLDER then. `dpkg-checkbuilddeps` says what has to be installed.
# Their maintainer is who builds them: DEBFULLNAME and DEBEMAIL, else what git calls
# the user of SRCDIR.
set -eu
srcdir=$1 folder=$2 commit=${3:-HEAD}
die () { echo "deb: $*" >&2; exit 1; }
for tool in git dpkg-buildpackage lintian; do
  command -v $tool > /dev/null || die "there is no $tool: apt-get install git dpkg-dev lintian"
done
version=$(git -C "$srcdir" show "$commit:debian/changelog" | sed -n '1s/.*(\(.*\)).*/\1/p')
[ -n "$version" ] || die "$srcdir: commit $commit has no debian/changelog"
name=${DEBFULLNAME:-$(git -C "$srcdir" config user.name || true)}
email=${DEBEMAIL:-$(git -C "$srcdir" config user.email || true)}
case $name$email in *[\\/\&\<\>]*) die "DEBFULLNAME and DEBEMAIL are a name and an address: '$name', '$email'" ;; esac
mkdir -p "$folder"
rm -rf "$folder/tplan-$version" "$folder"/tplan_* "$folder"/libtplan*_* "$folder"/python3-tplan_*
git -C "$srcdir" archive --prefix="tplan-$version/" "$commit" | tar -C "$folder" -xf -
cd "$folder/tplan-$version"
if [ -n "$name" ] && [ -n "$email" ]; then
  sed -i "s/^Maintainer: .*/Maintainer: $name <$email>/" debian/control
  sed -i "1,/^ -- /s/^ -- .*>  / -- $name <$email>  /" debian/changelog
fi
dpkg-buildpackage -us -uc -j"${DEB_JOBS:-2}"
cd ..
lintian --fail-on error,warning --info --tag-display-limit 0 "tplan_${version}_$(dpkg --print-architecture).changes"
ls -l ./*.deb
