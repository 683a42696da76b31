import { expect } from 'bun:test'

/** Puts eight small trees that are a hundred million paths into a folder of the default branch of a bare repository. */
export async function plantPaths(repository: string, folder: string, name: string): Promise<void> {
  const script = `
    export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
    export GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x@x GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x@x
    line='100644 blob '$(printf 'a: 1' | git hash-object -w --stdin)
    for level in 1 2 3 4 5 6 7 8; do
      tree=$(for name in 0 1 2 3 4 5 6 7 8 9; do printf '%s\t%s.yaml\n' "$line" $name; done | git mktree)
      line="040000 tree $tree"
    done
    folder=$( (git ls-tree main:${folder}; printf '%s\t${name}\n' "$line") | git mktree)
    root=$( (git ls-tree main | grep -v '\\s${folder}$' || true; printf '040000 tree %s\t${folder}\n' $folder) | git mktree)
    git update-ref refs/heads/main $(git commit-tree -p main -m planted $root)`
  const run = Bun.spawn(['bash', '-euc', script], { cwd: repository, stderr: 'pipe' })
  expect([await run.exited, await new Response(run.stderr).text()]).toStrictEqual([0, ''])
}
