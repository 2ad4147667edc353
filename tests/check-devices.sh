#!/bin/sh
# A device is one file and a build line: what others ask of a kind of device is
# in its record (runtime/device.h), so no folder but runtime names one in code.
# Comments may, and so may what is said to people and what stands in files; tests,
# benchmarks and examples name the devices they want. Looked for are strings that
# are a kind's name, or begin with it and a colon. A fact (calib/facts.h) may be called as
# a kind is, and files of others that know devices by no name have to be taken to mean
# some (TP_GIVEN_DEVICE_).
cd "$top_srcdir" || exit 99
kinds=$(sed -n 's/^  \.name = "\([a-z]*\)",$/\1/p' runtime/device-*.c)
folders=$(find . -name '*.[ch]' -not -path './runtime/*' -not -path './tests/*' -not -path './bench/*' \
  -not -path './examples/*' -not -path './fuzz/*' -not -path './*build*/*' -not -path './_*/*' -not -path './tplan-*')
# Prints "file:line: text" where a kind is named outside of comments.
judge ()
{
  awk -v kinds="$(echo $kinds | tr ' ' '|')" '
    FNR == 1 { is_comment = 0 }
    {
      line = $0
      if (is_comment) {
        if (!(at = index (line, "*/"))) next
        line = substr (line, at + 2); is_comment = 0
      }
      gsub (/\/\*([^*]|\*[^\/])*\*\//, "", line)
      if (at = index (line, "/*")) { line = substr (line, 1, at - 1); is_comment = 1 }
      if (line !~ /^#define TP_(FACT|GIVEN_DEVICE)_/ && line ~ "\"(" kinds ")(:[^\"]*)?\"") print FILENAME ":" FNR ": " $0
    }' "$@"
}
say ()
{
  n=$((n + 1))
  if [ -z "$2" ]; then echo "ok $n - $1"; else printf '%s\n' "$2" | sed 's/^/# /'; echo "not ok $n - $1"; fi
}
echo 1..3
n=0
bad=
[ "$(echo "$kinds" | wc -l)" = "$(ls runtime/device-*.c | wc -l)" ] || bad="$(ls runtime/device-*.c) have records $kinds"
say "each file of a device ends in its record" "$bad"
say "no folder but runtime names a kind of device" "$(judge $folders)"

# The judge itself: each line but the last three is one to refuse.
sample=$(mktemp)
trap 'rm -f "$sample"' EXIT
cat >"$sample" <<'C'
if (strcmp (name, "cpu") == 0)
  return g_str_has_prefix (name, "sim:"); /* not "ref" */
host = "ref"; /* comment
*/ name = g_strdup_printf ("opencl:%d", n);
/* "cpu" and "sim:x", "opencl"
 * "ref" */ { "cpu family", "cpu=" }
g_set_error (error, "use device 'ref'");
C
refused=$(judge "$sample" | wc -l)
if [ "$refused" = 4 ]; then bad=; else bad="$refused of 4 refused"; fi
say "what names a kind is found" "$bad"
