import { createLocalGitHost, type LocalGitHost } from '#src/lib/adapters/hosts/forge/index.ts'
import { AUTHOR, branch, MAIN, repositoryId, value, write } from '#tests/contracts/git-host.ts'

/** A separate process that opens pull requests and merges every second one: `<directory> <name> <rounds>`. */
const [directory = '', name = '', rounds = ''] = Bun.argv.slice(2)
const repository = repositoryId('acme', 'gitops')
const host = createLocalGitHost({ directory, publicUrl: 'http://portico.test' })

for (let round = 0; round < Number(rounds); round += 1) {
  const number = await propose(host, `${name}-${round}`)
  // Other processes merge too: three lost races are an expected failure.
  if (round % 2 === 1) await host.mergePullRequest(repository, number, { by: AUTHOR })
  console.log(number)
}

async function propose(host: LocalGitHost, head: string): Promise<number> {
  const { commit } = value(await host.head(repository))
  value(
    await host.commit(repository, {
      branch: branch(head),
      from: { kind: 'create', parent: commit },
      changes: [write(`work/${head}`, head)],
      message: head,
      author: AUTHOR,
    }),
  )
  const draft = { head: branch(head), base: MAIN, title: head, body: '', author: AUTHOR }
  return value(await host.openPullRequest(repository, draft)).pullRequest.number
}
