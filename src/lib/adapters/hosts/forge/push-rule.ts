import { join } from 'node:path'
import type { ObjectId } from '../../../names.ts'
import type { Author, GitAnswer } from '../../../ports/git-host.ts'
import type { PushRule } from '../../../ports/forge.ts'
import { allOk, ok } from '../../../result.ts'
import type { RefCommand } from './push-commands.ts'
import { branchRef, readHead } from '../../../git/refs.ts'
import { readSettings } from './repository-settings.ts'

interface Judgement {
  /** By ref. */
  readonly refusals: ReadonlyMap<string, string>
  /** The default branch is among the refs. */
  readonly touchesDefault: boolean
}

/** Judges the refs of a push by a rule, and by our own: no ref replaces another one, and the default branch is never deleted. */
export async function judgePush(
  directory: string,
  commands: readonly RefCommand[],
  existing: ReadonlyMap<string, ObjectId>,
  rule: PushRule,
): GitAnswer<Judgement> {
  const read = await allOk([readHead(directory), readSettings(directory)])
  if (!read.ok) return read
  const [{ branch }, { team }] = read.value
  const defaultRef = branchRef(branch)
  const refusals = new Map<string, string>()
  const spellings = new Set([...existing.keys()].map(foldSpelling))
  for (const { ref, before, after } of commands) {
    const isKnown = existing.has(ref)
    // Git moves the ref only from `before`, so that a branch that somebody creates after this is not taken for the one judged here.
    if ((existing.get(ref) ?? null) !== before) {
      refusals.set(ref, CHANGED)
      continue
    }
    if (!isKnown && spellings.has(foldSpelling(ref))) {
      refusals.set(ref, TAKEN)
      continue
    }
    const isDefaultBranch = ref === defaultRef
    const change = after === null ? 'delete' : isKnown ? 'update' : 'create'
    const creator = isKnown ? await creatorOf(directory, ref) : null
    const reason =
      change === 'delete' && isDefaultBranch
        ? 'the default branch cannot be deleted'
        : rule({ team, ref, change, isDefaultBranch, creator })
    if (reason !== null) refusals.set(ref, reason)
  }
  return ok({ refusals, touchesDefault: commands.some(({ ref }) => ref === defaultRef) })
}

const CHANGED = 'it has changed meanwhile: fetch and try again'
const TAKEN = 'the name is taken, in upper and lower case: choose another'

/** File systems of macOS and Windows take `MAIN` for `main`, and so would git for a ref that it has packed. */
const foldSpelling = (ref: string): string => ref.normalize('NFC').toLowerCase()

const LOG_LINE_BYTES_MAX = 4096

/** By the first line of a ref's log, which git removes with the ref. The ref must exist: its name is a path here. */
async function creatorOf(directory: string, ref: string): Promise<Author | null> {
  const log = Bun.file(join(directory, 'logs', ref)).slice(0, LOG_LINE_BYTES_MAX)
  const text = await log.text().catch(() => '')
  const [, name, email] = /^0+ [0-9a-f]+ ([^\n]*) <([^>\n]*)> \d+ [-+]\d{4}/.exec(text) ?? []
  return name === undefined || email === undefined ? null : { name, email }
}
