/** Gitea's own hook asks the server; this one reads its environment. */
export const PRE_RECEIVE = `#!/bin/sh
decline() {
  printf '\\nerror:\\nerror: %s\\nerror:\\n' "$1" >&2
  exit 1
}
[ -z "$GITEA_DENIED" ] || decline "$GITEA_DENIED"
while read -r before after ref; do
  branch="\${ref#refs/heads/}"
  for protected in $GITEA_PROTECTED; do
    [ "$branch" != "$protected" ] || decline "Not allowed to push to protected branch $branch"
  done
done
`
