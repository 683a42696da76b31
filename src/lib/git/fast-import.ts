import type { Author, FileChange, GitAnswer, GitResult } from '../ports/git-host.ts'
import { ObjectId } from '../names.ts'
import { err, ok } from '../result.ts'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { complaintOf, hostError, NO_OBJECT, runGit } from './git.ts'
import { signCommit, type Signing } from './signing.ts'

const IMPORT_DEADLINE_MS = 120_000
/** No deltas: git would base each file on the one before, related or not, and reading them all would take twice as long. */
const DELTA_DEPTH = 0
type ScriptPart = string | Uint8Array<ArrayBuffer>

export interface NewCommit {
  readonly parent: ObjectId | null
  /** The second parent, and the tree of both, to which the changes are added. */
  readonly merge?: { readonly head: ObjectId; readonly tree: ObjectId }
  readonly changes: readonly FileChange[]
  readonly message: string
  readonly author: Author
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  /** `null`: the commit is not signed. */
  readonly signing: Signing | null
}

export interface ImportedCommit {
  readonly commit: ObjectId
  readonly tree: ObjectId
  readonly parentTree: ObjectId | null
}

/**
 * Writes the objects of one commit and moves no ref: fast-import itself accepts a branch that stands at an ancestor of the
 * parent, which is no compare-and-swap. Its language demands a ref; the script drops it before it would be written.
 */
export async function importCommit(
  directory: string,
  { parent, merge, changes, message, author, at, signing }: NewCommit,
): GitAnswer<ImportedCommit> {
  const clash = findClashingPath(changes)
  if (clash !== undefined) return err(hostError(`two changes claim ${clash}`))

  const { name, email } = cleanAuthor(author)
  const who = `${name} <${email}> ${Math.floor(at / 1000)} +0000`
  const ref = `refs/portico/import/${crypto.randomUUID()}`
  const script: ScriptPart[] = [
    `feature done\ncommit ${ref}\nmark :1\nauthor ${who}\ncommitter ${who}\n`,
    ...data(new TextEncoder().encode(cleanMessage(message))),
    parent === null ? '' : `from ${parent}\n`,
    merge === undefined ? '' : `merge ${merge.head}\nM 040000 ${merge.tree} ""\n`,
    ...changes.flatMap(toCommands),
    '\nget-mark :1\nls :1 ""\n',
    parent === null ? '' : `ls ${parent} ""\n`,
    `reset ${ref}\nfrom ${NO_OBJECT}\n\ndone\n`,
  ]
  const args = ['fast-import', '--quiet', '--date-format=raw', `--depth=${DELTA_DEPTH}`]
  const output = await runGit(directory, args, {
    input: new Blob(script),
    deadlineMs: IMPORT_DEADLINE_MS,
  })
  if (!output.ok) return output
  if (output.value.code !== 0) {
    await removeCrashReports(directory)
    return err(complaintOf(args, output.value))
  }
  const made = parseAnswer(output.value.stdout.toString())
  if (!made.ok) return made
  const signed = await signCommit(directory, made.value.commit, signing)
  return signed.ok ? ok({ ...made.value, commit: signed.value }) : signed
}

function parseAnswer(text: string): GitResult<ImportedCommit> {
  const [first = '', ...listings] = text.split('\n')
  const commit = ObjectId.parse(first)
  const [tree, parentTree] = listings.map((line) => /^040000 tree (\S+)\t$/.exec(line)?.[1])
  const parsed = { tree: ObjectId.parse(tree), parentTree: ObjectId.parse(parentTree) ?? null }
  if (commit === undefined || parsed.tree === undefined) {
    return err(hostError(`git fast-import answered ${text.slice(0, 200)}`))
  }
  return ok({ commit, tree: parsed.tree, parentTree: parsed.parentTree })
}

function toCommands(change: FileChange): ScriptPart[] {
  // A `RepositoryPath` needs no escapes: it holds neither quotes nor backslashes.
  if (change.kind === 'delete') return [`D "${change.path}"\n`]
  const mode = change.executable === true ? '100755' : '100644'
  return [`M ${mode} inline "${change.path}"\n`, ...data(change.bytes)]
}

const data = (bytes: Uint8Array): ScriptPart[] => [
  `data ${bytes.length}\n`,
  new Uint8Array(bytes),
  '\n',
]

async function removeCrashReports(directory: string): Promise<void> {
  const names = await readdir(directory).catch(() => [])
  const reports = names.filter((name) => name.startsWith('fast_import_crash_'))
  await Promise.all(reports.map((name) => rm(join(directory, name), { force: true })))
}

/** The path of a second change to one path, or to `a` and `a/b`: one of the two would silently be dropped. */
function findClashingPath(changes: readonly FileChange[]): string | undefined {
  const paths = new Set<string>()
  for (const { path } of changes) {
    if (paths.has(path)) return path
    paths.add(path)
  }
  for (const { kind, path } of changes) {
    if (kind === 'delete') continue
    for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) {
      if (paths.has(path.slice(0, end))) return path
    }
  }
  return undefined
}

/** A line break or an angle bracket would forge other fields of the commit. */
export function cleanAuthor({ name, email }: Author): Author {
  const clean = (text: string) => text.replaceAll(/[<>\p{Cc}]/gu, ' ').trim()
  return { name: clean(name) || 'unknown', email: clean(email).replaceAll(' ', '') }
}

export function cleanMessage(message: string): string {
  return `${message.replaceAll('\0', '').trimEnd()}\n`
}
