/**
 * A process of its own that lists the catalog at `<to>` since `<from>`, and prints what it got, with whatever git its `PATH` has:
 * `<place> <from> <to> <deadline in ms>`.
 */
import { oid, path, repositoryId, value } from '#tests/contracts/git-host.ts'

const [place = '', from = '', to = '', deadline = ''] = Bun.argv.slice(2)

const wait = globalThis.setTimeout
globalThis.setTimeout = Object.assign(
  (act: () => void, ms = 0) => wait(act, Math.min(ms, Number(deadline))),
  wait,
)

const { createLocalGitHost } = await import('#src/lib/adapters/git-host/local/index.ts')
const host = createLocalGitHost({ directory: place, publicUrl: 'http://portico.test' })
const repository = repositoryId('acme', 'gitops')
const directory = path('catalog')
const since = value(await host.listFiles(repository, { commit: oid(from), directory }))
console.log(JSON.stringify(await host.listFiles(repository, { commit: oid(to), directory, since })))
