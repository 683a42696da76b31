/** GitLab's own hook asks the server; this one reads its environment. The words are GitLab's (`lib/gitlab/checks`). */
export const PRE_RECEIVE = `#!/bin/sh
while read -r before after ref; do
  branch="\${ref#refs/heads/}"
  for protected in $GITLAB_PROTECTED; do
    [ "$branch" != "$protected" ] || {
      echo "GitLab: You are not allowed to push code to protected branches on this project." >&2
      exit 1
    }
  done
done
`
