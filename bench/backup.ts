/**
 * A backup of 10,000 rows and 200 repositories beside a service that answers, and its restore. `bun bench/backup.ts`
 */
import { join } from 'node:path'
import { backUp } from '#src/cli/backup/backup.ts'
import { restoreBackup, verifyBackup } from '#src/cli/backup/restore.ts'
import { RepositoryPart, RepositoryPath, TeamName } from '#src/lib/names.ts'
import {
  createInstallation,
  percentile,
  startPortico,
  untilComplete,
} from './support/installation.ts'
import { row } from './support/row.ts'

const ROWS = 10_000
const REPOSITORIES = 200
const FILES = 20
const ENTITIES = 1_000
const PORT = 8_099
const ALONE_MS = 5_000
const PAUSE_MS = 2

const installation = await createInstallation(ENTITIES)
const { directory, git } = installation
for (let index = 1; index < REPOSITORIES; index += 1) {
  const created = await git.createRepository(
    { owner: RepositoryPart.of('acme'), name: RepositoryPart.of(`service-${index}`) },
    {
      description: 'a service',
      team: TeamName.of('payments'),
      marker: `run ${index}`,
      message: 'First commit',
      author: { name: 'Ann', email: 'ann@acme.example' },
      files: Array.from({ length: FILES }, (_, file) => ({
        kind: 'write' as const,
        path: RepositoryPath.of(`src/file-${file}.ts`),
        bytes: new TextEncoder().encode(`${index} ${file}\n`.repeat(100)),
      })),
    },
  )
  if (!created.ok) throw new Error(created.error.kind)
}
{
  await using sql = new Bun.SQL({ adapter: 'sqlite', filename: join(directory, 'portico.sqlite') })
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
}

const portico = await startPortico(installation, PORT, { env: { READS_PER_MINUTE: '100000' } })
const path = '/api/v1/catalog/entities?limit=50'
await untilComplete(() => portico.get(path), portico.startedAt)

/** Milliseconds of each answer. */
async function readUntil(done: Promise<unknown>): Promise<readonly number[]> {
  const took: number[] = []
  const state = { isDone: false }
  void done.finally(() => {
    state.isDone = true
  })
  while (!state.isDone) {
    const startedAt = performance.now()
    await (await portico.get(path)).arrayBuffer()
    took.push(performance.now() - startedAt)
    await Bun.sleep(PAUSE_MS)
  }
  return took
}

const file = join(directory, 'backup.tar')
const source = (DATA_DIR: string) => ({ environment: { DATA_DIR }, readFile: () => '' })
const seconds = (since: number) => `${((performance.now() - since) / 1_000).toFixed(2)} s`
const p99 = (took: readonly number[]) => `${percentile(took, 0.99).toFixed(1)} ms`

row('a read of the service, p99, alone', p99(await readUntil(Bun.sleep(ALONE_MS))))
const startedAt = performance.now()
const command = Bun.spawn(['bun', 'src/main.ts', 'backup', '--to', file], {
  env: { PATH: process.env['PATH'] ?? '', DATA_DIR: directory },
  stdout: 'inherit',
  stderr: 'inherit',
})
const beside = readUntil(command.exited)
await command.exited
row(
  `backup of ${ROWS} rows and ${REPOSITORIES} repositories, a process of its own`,
  seconds(startedAt),
)
row('a read of the service, p99, meanwhile', p99(await beside))
await portico.stop()

const alone = performance.now()
await backUp(file, source(directory))
row('backup, nothing beside it', seconds(alone))
const verifying = performance.now()
const verified = await verifyBackup(file)
row('verify', seconds(verifying))
const restoring = performance.now()
const restored = await restoreBackup(file, source(join(directory, 'restored')))
row('restore', seconds(restoring))
if (!verified.ok || !restored.ok || !restored.value.ok) throw new Error('the backup is not whole')
console.log(verified.value)
await installation.remove()
