import { join } from 'node:path'
import type { GitFailure } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { complaintOf, gitText, runGit } from './git.ts'

type Key = 'marker' | 'description' | 'team'

/** Our own entries in a repository's configuration. */
const configOf = (directory: string) => ['config', '--file', join(directory, 'config')]

export async function writeSettings(
  directory: string,
  settings: Readonly<Record<Key, string>>,
): Promise<Result<void, GitFailure>> {
  for (const [key, text] of Object.entries(settings)) {
    const args = [...configOf(directory), '--', `portico.${key}`, storable(text)]
    const output = await gitText(directory, args)
    if (!output.ok) return output
  }
  return ok(undefined)
}

/** `null` for a repository without this entry. */
export async function readSetting(
  directory: string,
  key: Key,
): Promise<Result<string | null, GitFailure>> {
  const args = [...configOf(directory), '--null', '--get', `portico.${key}`]
  const output = await runGit(directory, args)
  if (!output.ok) return output
  const { code, stdout } = output.value
  if (code > 1) return err(complaintOf(args, output.value))
  return ok(code === 0 ? stdout.toString().slice(0, -1) : null)
}

/** A text as it comes back. */
export const storable = (text: string) => text.replaceAll('\0', '')
