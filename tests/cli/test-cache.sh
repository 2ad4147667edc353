#!/bin/sh
# The folder of compiled kernels, which drivers load and run: only one that nobody
# else can reach is used.
. "$(dirname "$0")/common.sh"
unset POCL_CACHE_DIR
TMPDIR=$work/tmp
export TMPDIR
mkdir tmp

# fresh NAME: a cache folder of its own for the next case.
fresh () { XDG_CACHE_HOME=$work/$1/cache; mkdir -p "$XDG_CACHE_HOME"; pocl=$XDG_CACHE_HOME/tplan/pocl; }

# kept: the folder is used, for us alone, and nothing is said.
kept () { try 0 devices && [ ! -s .err ] && [ "$(stat -c %a "$pocl")" = 700 ]; }

# refused REASON: it is not used, that is said once, nothing is left behind.
refused ()
{
  try 0 devices && [ "$(grep -c "cache folder '.*' $1" .err)" -eq 1 ] \
    && [ -z "$(find "$pocl/" -mindepth 1 2> /dev/null)" ] && [ -z "$(ls tmp)" ]
}

fresh new
kept; say $? "a new folder is ours alone"
kept; say $? "and is used again"
chmod 755 "$pocl"
kept; say $? "what others may only read is closed to them"
fresh sticky
chmod 1777 "$XDG_CACHE_HOME"
kept; say $? "below a folder like /tmp"
mkdir -p linked && ln -s "$work/linked" link
XDG_CACHE_HOME=$work/link pocl=$work/linked/tplan/pocl
kept; say $? "a base that is reached by a link"

fresh open
mkdir -p -m 777 "$XDG_CACHE_HOME/tplan/pocl" && chmod 777 "$pocl"
refused "can be written to by others"; say $? "a folder that others can write to"
fresh group
mkdir -p "$pocl" && chmod 770 "$XDG_CACHE_HOME/tplan"
refused "can be written to by others"; say $? "or its group"
fresh parent
mkdir -p "$pocl" && chmod 777 "$XDG_CACHE_HOME"
refused "can be written to by others"; say $? "a parent that others can write to"
fresh symlink
mkdir -p elsewhere "$XDG_CACHE_HOME/tplan" && ln -s "$work/elsewhere" "$pocl"
refused "is a symbolic link"; say $? "a symbolic link"
fresh above
mkdir -p elsewhere/pocl && ln -s "$work/elsewhere" "$XDG_CACHE_HOME/tplan"
refused "is a symbolic link"; say $? "a symbolic link above it"
fresh file
mkdir -p "$XDG_CACHE_HOME/tplan" && : > "$pocl"
refused "is a symbolic link, or no folder"; say $? "a file"
if [ "$(id -u)" -eq 0 ]; then
  fresh foreign
  mkdir -p "$pocl" && chmod 755 "$pocl" && chown 65534 "$pocl"
  refused "belongs to another user"; say $? "a folder of another user"
  fresh stranger
  mkdir -p "$pocl" && chown 65534 "$work/stranger"
  refused "belongs to another user"; say $? "a parent of another user"
fi

try 0 info mlp.json && [ ! -s .err ]; say $? "who asks no driver is told nothing"
mkdir given
POCL_CACHE_DIR=$work/given
export POCL_CACHE_DIR
try 0 devices && [ ! -s .err ]; say $? "a folder given by name is not looked at"
finish
