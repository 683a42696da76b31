import type { Repository, State } from './state.ts'

interface Move {
  readonly name: string
  /** The branch must stand here; `null`: it must not exist. */
  readonly from: string | null
  /** `null` deletes it. */
  readonly to: string | null
}

const NOTHING = '0'.repeat(40)

/** Compare-and-swap. `false`: the branch stands elsewhere, or another branch rules its name out. */
export async function moveBranch(
  state: State,
  repository: Repository,
  { name, from, to }: Move,
): Promise<boolean> {
  const ref = `refs/heads/${name}`
  const args =
    to === null
      ? ['update-ref', '-d', ref, from ?? NOTHING]
      : ['update-ref', ref, to, from ?? NOTHING]
  const { code } = await repository.git.tryGit(args)
  if (code === 0) await afterPush(state, repository)
  return code === 0
}

/** Open pull requests follow their branches, and are checked for conflicts again. */
export async function afterPush(state: State, repository: Repository): Promise<void> {
  const heads = new Map(await repository.git.references('refs/heads/'))
  if (heads.size > 0) repository.unnoticed ??= state.queueLag
  for (const pull of repository.pulls) {
    if (pull.closedAt !== null) continue
    const tip = heads.get(`refs/heads/${pull.head}`)
    if (tip !== undefined && tip !== pull.headCommit) {
      pull.headCommit = tip
      await repository.git.updateReference(`refs/pull/${pull.number}/head`, tip)
    }
    pull.checks = state.checkLag
  }
}
