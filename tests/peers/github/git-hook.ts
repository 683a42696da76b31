/**
 * GitHub's verdict on each branch of a push. As `proc-receive`, a hook can word the reason that `git push` shows; what has no
 * reason falls through to git itself. The rules are in its environment:
 * - `GITHUB_PROTECTED`: lines of `<reference>|<reason>|<text for the person>`;
 * - `GITHUB_WORKFLOWS`: reason for a change of a workflow, with `%s` for its path; empty where that is allowed.
 */
export const PROC_RECEIVE = `#!/bin/sh
export LC_ALL=C
NOTHING=0000000000000000000000000000000000000000

# Packets of gitprotocol-common(5).
read_packet() {
  size=$(dd bs=1 count=4 2>/dev/null)
  [ \${#size} -eq 4 ] || exit 1
  [ "$size" != 0000 ] || return 1
  packet=$(dd bs=1 count=$((0x$size - 4)) 2>/dev/null | tr -d '\\000')
}
packet() { printf '%04x%s' $((\${#1} + 4)) "$1"; }

judge() { # before after reference
  reason=
  if [ -n "$GITHUB_WORKFLOWS" ] && [ "$2" != $NOTHING ]; then
    file=$(git log -c --format= --name-only "$2" --not --all -- .github/workflows | grep -m 1 .)
    if [ -n "$file" ]; then
      reason=$(printf "$GITHUB_WORKFLOWS" "$file")
      return
    fi
  fi
  while IFS='|' read -r protected words text; do
    if [ "$protected" = "$3" ]; then
      printf '%b\\n' "$text" >&2
      reason=$words
      return
    fi
  done <<RULES
$GITHUB_PROTECTED
RULES
  now=$(git rev-parse --quiet --verify "$3") || now=$NOTHING
  [ "$now" != "$1" ] || return
  case $NOTHING in
    "$1") reason="cannot lock ref '$3': reference already exists" ;;
    "$now") reason="cannot lock ref '$3': unable to resolve reference '$3'" ;;
    *) reason="cannot lock ref '$3': is at $now but expected $1" ;;
  esac
}

while read_packet; do :; done
packet version=1
printf 0000
verdicts=
while read_packet; do
  set -- $packet
  judge "$@"
  if [ -n "$reason" ]; then
    verdicts=$verdicts$(packet "ng $3 $reason")
  else
    verdicts=$verdicts$(packet "ok $3")$(packet 'option fall-through')
  fi
done
printf '%s0000' "$verdicts"
`
