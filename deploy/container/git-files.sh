#!/bin/sh
# Copies git, its transport over http and https, and their libraries, except those of libc, into a folder, for an image that has
# only libc. Every other git command that Portico uses is part of the one program: no shell, no scripts.
set -eu
folder=$1
programs=/usr/lib/git-core

install -D /usr/bin/git "$folder/usr/bin/git"
# One program under two names, one of which is a link.
mkdir -p "$folder$programs"
cp -d "$programs/git-remote-http" "$programs/git-remote-https" "$folder$programs"

for program in /usr/bin/git "$programs/git-remote-https"; do
  ldd "$program"
done | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | sort -u | while read -r library; do
  case ${library##*/} in
    libc.so.* | libm.so.* | libdl.so.* | libpthread.so.* | libresolv.so.*) ;;
    # Always below /usr: in some images /lib is a link into it, and a folder cannot be copied over a link.
    *) install -D "$library" "$folder/usr/${library#/usr}" ;;
  esac
done
