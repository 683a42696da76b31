#!/bin/sh
# Copies git and its libraries, except libc, into a folder, for an image that has only libc. All git
# commands that Portico uses are part of this one program: no shell, no scripts, no helpers.
set -eu
folder=$1

install -D /usr/bin/git "$folder/usr/bin/git"
ldd /usr/bin/git | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | while read -r library; do
  case ${library##*/} in
    libc.so.* | libm.so.* | libdl.so.* | libpthread.so.*) ;;
    # Always below /usr: in some images /lib is a link into it, and a folder cannot be copied over a link.
    *) install -D "$library" "$folder/usr/${library#/usr}" ;;
  esac
done
