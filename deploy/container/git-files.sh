#!/bin/sh
# Copies git, and those of its libraries that an image with nothing but libc does not have, into a folder that can be laid over
# such an image. Every git command that Portico uses is built into the one program: no shell, no scripts, no helpers.
set -eu
folder=$1

install -D /usr/bin/git "$folder/usr/bin/git"
ldd /usr/bin/git | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | while read -r library; do
  case ${library##*/} in
    libc.so.* | libm.so.* | libdl.so.* | libpthread.so.*) ;;
    # Below /usr wherever it was found: in some images /lib is a link to there, and a folder cannot be laid over a link.
    *) install -D "$library" "$folder/usr/${library#/usr}" ;;
  esac
done
