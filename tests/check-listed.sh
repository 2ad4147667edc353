#!/bin/sh
# A test that the Makefile.am of its folder does not name is never run.
cd "$top_srcdir" || exit 99
echo 1..1
missing=
for test in tests/*/test-*.sh tests/*/check-*.sh tests/*/test-*.c; do
  name=${test##*/}
  case $name in *.c) name=${name%.c} ;; esac
  grep -qE "(^|[ /=])$name( |\$|\.)" "${test%/*}/Makefile.am" || missing="$missing $test"
done
[ -z "$missing" ] || echo "#$missing"
[ -z "$missing" ] && echo "ok 1 - every test is listed" || echo "not ok 1 - every test is listed"
