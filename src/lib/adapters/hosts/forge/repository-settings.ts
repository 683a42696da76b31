import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { GitAnswer } from '../../../ports/git-host.ts'
import { err, ok } from '../../../result.ts'
import { complaintOf, runGit } from '../../../git/git.ts'

type Key = 'marker' | 'description' | 'team'

/** Our own entries in a repository's configuration. */
const configOf = (directory: string): string => join(directory, 'config')

/** For a repository that nobody else sees yet: three `git config` took a third of the time of making one. Throws what the disk says. */
export async function writeSettings(
  directory: string,
  settings: Readonly<Record<Key, string>>,
): Promise<void> {
  const lines = Object.entries(settings).map(([key, text]) => `\t${key} = "${escaped(text)}"\n`)
  await appendFile(configOf(directory), `[portico]\n${lines.join('')}`)
}

/** The escapes of git-config(1) in quotes. Every other character stands for itself there. */
const escaped = (text: string): string =>
  storable(text).replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n')

/** All of them. Each is `null` in a repository that was put there by hand. */
export async function readSettings(
  directory: string,
): GitAnswer<Readonly<Record<Key, string | null>>> {
  const file = ['--file', configOf(directory)]
  const args = ['config', ...file, '--null', '--get-regexp', String.raw`^portico\.`]
  const output = await runGit(directory, args)
  if (!output.ok) return output
  const { code, stdout } = output.value
  if (code > 1) return err(complaintOf(args, output.value))
  const entries = stdout
    .toString()
    .split('\0')
    .map((entry) => entry.split(/\n(.*)/s))
  const valueOf = (key: Key) => entries.findLast(([name]) => name === `portico.${key}`)?.[1] ?? null
  return ok({
    marker: valueOf('marker'),
    description: valueOf('description'),
    team: valueOf('team'),
  })
}

/** A text as it comes back. */
export const storable = (text: string) => text.replaceAll('\0', '')
