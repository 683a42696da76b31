/**
 * `bun scripts/order.ts`: records which functions a start of `portico serve` and its first answers run, for `scripts/build.ts`. What
 * it writes is worth recording again when much of the start has changed, or Bun has; an old one is only of less use.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInstallation, startPortico, untilComplete } from '../bench/support/installation.ts'
import { build, ORDER } from './build.ts'

const ENTITIES = 10
const PORT = 4187
const ANSWERS = ['/healthz', '/readyz', '/api/v1/auth/session', '/api/v1/catalog/entities']

const scratch = await mkdtemp(join(tmpdir(), 'portico-order-'))
const executable = join(scratch, 'portico')
const recorded = join(scratch, 'order')
await build({ outfile: executable, commit: 'order', order: false })
const installation = await createInstallation(ENTITIES)
const portico = await startPortico(installation, PORT, {
  executable,
  env: { BUN_BYTECODE_ORDER_OUT: recorded },
})
for (const path of ANSWERS) await untilComplete(() => portico.get(path), portico.startedAt)
await portico.stop()

/** Functions, modules and their names. Strings would be fifteen times as much, for nothing that can be measured. */
const lines = (await Bun.file(recorded).text())
  .split('\n')
  .filter((line) => /^(?:v|F|M|N)/.test(line))
await Bun.write(ORDER, `${lines.join('\n')}\n`)
await Promise.all([installation.remove(), rm(scratch, { recursive: true, force: true })])
console.log(`${lines.length} lines`)
