/**
 * A backup of 10,000 rows and 200 repositories, beside requests, and its restore. `bun bench/backup.ts`
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { backUp } from '#src/cli/backup/backup.ts'
import { restoreBackup, verifyBackup } from '#src/cli/backup/restore.ts'
import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { createLocalGitHost } from '#src/lib/adapters/hosts/forge/index.ts'
import { RepositoryPart, RepositoryPath, TeamName } from '#src/lib/names.ts'
import { percentile } from './support/installation.ts'
import { row } from './support/row.ts'

const ROWS = 10_000
const REPOSITORIES = 200
const FILES = 20

const folder = await mkdtemp(join(tmpdir(), 'portico-bench-backup-'))
const home = join(folder, 'home')
const host = createLocalGitHost({ directory: join(home, 'git'), publicUrl: 'http://127.0.0.1' })
const author = { name: 'Ann', email: 'ann@acme.example' }
for (let index = 0; index < REPOSITORIES; index += 1) {
  const created = await host.createRepository(
    { owner: RepositoryPart.of('acme'), name: RepositoryPart.of(`service-${index}`) },
    {
      description: 'a service',
      team: TeamName.of('payments'),
      marker: `run ${index}`,
      message: 'First commit',
      author,
      files: Array.from({ length: FILES }, (_, file) => ({
        kind: 'write' as const,
        path: RepositoryPath.of(`src/file-${file}.ts`),
        bytes: new TextEncoder().encode(`${index} ${file}\n`.repeat(100)),
      })),
    },
  )
  if (!created.ok) throw new Error(created.error.kind)
}
const url = `sqlite:${join(home, 'portico.sqlite')}`
const database = await openDatabase(url)
if (!database.ok) throw new Error(database.error.reason)
const { usedTokens } = database.value
{
  const sql = new Bun.SQL({ adapter: 'sqlite', filename: join(home, 'portico.sqlite') })
  const rows = Array.from({ length: ROWS }, (_, index) => ({
    id: `0197-${index}`,
    at: Date.now() + index,
    issuer: 'https://id.example.org',
    subject: `person-${index % 60}`,
    name: 'Priya',
    action: 'promotion.propose',
    target: 'component/payments-api',
    result: 'done',
    groups: '["payments:Managers"]',
    request_id: crypto.randomUUID(),
    details: JSON.stringify({ pullRequest: index, files: ['a', 'b', 'c'] }),
  }))
  for (let start = 0; start < ROWS; start += 500) {
    await sql`INSERT INTO audit ${sql(rows.slice(start, start + 500))}`
  }
  await sql.close()
}

/** Writes of the service: the slowest of its statements, since a commit waits for the disk. */
async function writeUntil(done: Promise<unknown>): Promise<readonly number[]> {
  const took: number[] = []
  const state = { isDone: false }
  void done.finally(() => {
    state.isDone = true
  })
  while (!state.isDone) {
    const startedAt = performance.now()
    await usedTokens.use(crypto.randomUUID(), Date.now() + 60_000)
    took.push(performance.now() - startedAt)
    await Bun.sleep(2)
  }
  return took
}

const file = join(folder, 'backup.tar')
const source = (DATA_DIR: string) => ({ environment: { DATA_DIR }, readFile: () => '' })
const seconds = (since: number) => `${((performance.now() - since) / 1_000).toFixed(2)} s`
const p99 = (took: readonly number[]) => `${percentile(took, 0.99).toFixed(1)} ms`

row('write of the service, p99, alone', p99(await writeUntil(Bun.sleep(2_000))))
const process = Bun.spawn(['bun', 'src/main.ts', 'backup', '--to', file], {
  env: { PATH: Bun.env['PATH'] ?? '', DATA_DIR: home },
  stdout: 'inherit',
  stderr: 'inherit',
})
const startedAt = performance.now()
const beside = writeUntil(process.exited)
await process.exited
row(
  `backup of ${ROWS} rows, ${REPOSITORIES} repositories, a process of its own`,
  seconds(startedAt),
)
row('write of the service, p99, meanwhile', p99(await beside))
await database.value.close()

const alone = performance.now()
await backUp(file, source(home))
row('backup, nothing beside it', seconds(alone))
const verifying = performance.now()
await verifyBackup(file)
row('verify', seconds(verifying))
const restoring = performance.now()
const restored = await restoreBackup(file, source(join(folder, 'restored')))
row('restore', seconds(restoring))
console.log(restored)
await rm(folder, { recursive: true })
