import { afterAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readSettings, writeSettings } from '#src/lib/adapters/hosts/forge/repository-settings.ts'

const directory = await mkdtemp(join(tmpdir(), 'portico-settings-'))
afterAll(() => rm(directory, { recursive: true, force: true }))

/** One file for each set of texts: git reads it. */
async function comesBack(marker: string, description: string): Promise<void> {
  await writeFile(join(directory, 'config'), '[core]\n\tbare = true\n')
  await writeSettings(directory, { marker, description, team: 'payments' })
  const read = await readSettings(directory)
  const file = await readFile(join(directory, 'config'), 'utf8')
  if (!read.ok) throw new Error(`${JSON.stringify(read.error)}: ${file}`)
  expect(read.value).toStrictEqual({
    marker: marker.replaceAll('\0', ''),
    description: description.replaceAll('\0', ''),
    team: 'payments',
  })
}

test('texts come back as they were, whatever git has for syntax', async () => {
  await comesBack(' a "quoted" \\ text; # and = [section]\n\tteam = "other" \n', '\r\n\t\b\\n\\')
  await comesBack('', '\\"\r')
  await comesBack('\r', 'ünïcode \u2028 \u{1F600}\u001B[31m')
})

test('so do any others', async () => {
  const text = fc.string({
    unit: fc.constantFrom(...'\\"\n\r\t\b#;=[] \0abé'.split('')),
    maxLength: 12,
  })
  await fc.assert(fc.asyncProperty(text, text, comesBack), { numRuns: 25 })
})
