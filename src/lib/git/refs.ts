import { ObjectId, BranchName } from '../names.ts'
import {
  type GitAnswer,
  type GitFailure,
  type GitResult,
  type Head,
  type Tag,
  TAGS_MAX,
} from '../ports/git-host.ts'
import { err, ok, type Result } from '../result.ts'
import { complaintOf, gitText, runGit, gitOutput, hostError } from './git.ts'
import { removeLocks } from './sweep.ts'

export interface RefChange {
  readonly ref: string
  /** Id of any object, since tags need not point to commits; `null`: the ref does not exist. */
  readonly before: ObjectId | null
  readonly after: ObjectId | null
}

/** A change, or the condition that a ref has not moved. */
export type RefEdit = RefChange | { readonly ref: string; readonly unmovedFrom: ObjectId }

const PAUSE_MS_MAX = 50

/** Each commit that a mirror has fetched has a ref of this name: fetches begin there, and the commit graph covers it. */
export const SEEN = 'refs/portico/seen/'

export const branchRef = (branch: BranchName) => `refs/heads/${branch}`

/** The refs below some prefixes. */
export async function readRefs(
  directory: string,
  prefixes: readonly string[],
): GitAnswer<ReadonlyMap<string, ObjectId>> {
  const refs = await readAllRefs(directory, prefixes)
  return refs.ok ? ok(refs.value.all) : refs
}

/**
 * All edits or none, by compare-and-swap: `lost` says that a ref was not at `before`. Refs become visible in the order
 * given.
 */
export async function updateRefs(
  directory: string,
  edits: readonly RefEdit[],
): GitAnswer<'changed' | 'lost'> {
  const args = ['update-ref', '--stdin']
  const script = ['start', ...edits.map(toCommand), 'prepare', 'commit', ''].join('\n')
  const refs = edits.map(({ ref }) => ref)
  await removeLocks(directory, refs)
  const output = await runGit(directory, args, { input: new Blob([script]) })
  if (!output.ok) return output
  if (output.value.code === 0) return ok('changed')

  const current = await readRefs(directory, refs)
  if (!current.ok) return current
  const isLost = edits.some((edit) => (current.value.get(edit.ref) ?? null) !== expectedBy(edit))
  return isLost ? ok('lost') : err(complaintOf(args, output.value))
}

/** An edit that lost against another writer. */
export interface LostRace<Failure> {
  /** The answer when no attempt is left. */
  readonly lost: Failure
}

/** Repeats an attempt that lost a race; each attempt reads the refs afresh. */
export async function retryLost<Value, Failure>(
  attempts: number,
  attempt: () => Promise<Result<Value, Failure> | LostRace<Failure>>,
): Promise<Result<Value, Failure>> {
  const outcome = await attempt()
  if (!('lost' in outcome)) return outcome
  if (attempts <= 1) return err(outcome.lost)
  await Bun.sleep(Math.random() * PAUSE_MS_MAX)
  return retryLost(attempts - 1, attempt)
}

const expectedBy = (edit: RefEdit) => ('unmovedFrom' in edit ? edit.unmovedFrom : edit.before)

function toCommand(edit: RefEdit): string {
  if ('unmovedFrom' in edit) return `verify ${edit.ref} ${edit.unmovedFrom}`
  const { ref, before, after } = edit
  if (before === null) return `create ${ref} ${after}`
  return after === null ? `delete ${ref} ${before}` : `update ${ref} ${after} ${before}`
}

/** All refs of a repository. */
export interface Refs {
  readonly all: ReadonlyMap<string, ObjectId>
  /** The branch that `HEAD` names; `undefined` where it is missing. */
  readonly headRef: string | undefined
  /** Git leaves out a ref that it cannot read, and only warns. `null`: there is none. */
  readonly broken: GitFailure | null
}

export async function readAllRefs(
  directory: string,
  prefixes: readonly string[] = [],
): GitAnswer<Refs> {
  // `rev-parse --symbolic-full-name HEAD` answers nothing where a branch or a tag is called `HEAD` as well.
  const args = ['for-each-ref', '--format=%(HEAD)%(objectname) %(refname)', ...prefixes]
  const output = await gitOutput(directory, args)
  if (!output.ok) return output
  const all = new Map<string, ObjectId>()
  let headRef: string | undefined
  for (const line of output.value.stdout.toString().split('\n')) {
    const id = ObjectId.parse(line.slice(1, 41))
    const ref = line.slice(42)
    if (id) all.set(ref, id)
    if (line.startsWith('*')) headRef = ref
  }
  const isBroken = output.value.stderr.includes(BROKEN_REF)
  return ok({ all, headRef, broken: isBroken ? complaintOf(args, output.value) : null })
}

/** The last commit of a branch, by default of the one that `HEAD` names. */
export function headIn({ all, headRef, broken }: Refs, branch?: BranchName): GitResult<Head> {
  const ref = branch === undefined ? headRef : branchRef(branch)
  const commit = ref === undefined ? undefined : all.get(ref)
  if (ref === undefined || commit === undefined) {
    return err(broken ?? { kind: 'git_not_found', what: 'branch' })
  }
  const name = ref.slice(HEADS.length)
  const known = ref.startsWith(HEADS) ? BranchName.parse(name) : undefined
  return known === undefined
    ? err(hostError(`the default branch has the unusable name ${name}`))
    : ok({ branch: known, commit })
}

export async function readHead(directory: string): GitAnswer<Head> {
  const refs = await readAllRefs(directory)
  return refs.ok ? headIn(refs.value) : refs
}

const BROKEN_REF = 'broken ref'
const HEADS = 'refs/heads/'

export type Branches = ReadonlyMap<string, string>

/** The branches among refs. */
export const branchesIn = (refs: ReadonlyMap<string, string>): Branches =>
  new Map(
    [...refs].flatMap(([ref, tip]) =>
      ref.startsWith(HEADS) ? [[ref.slice(HEADS.length), tip]] : [],
    ),
  )

/** Branches with a `BranchName`, sorted bytewise; others may have been pushed. */
export const namesOf = (branches: Branches, prefix: string): readonly BranchName[] =>
  [...branches.keys()]
    .filter((name) => name.startsWith(prefix))
    .flatMap((name) => BranchName.parse(name) ?? [])
    .toSorted(bytewise)

export const TAG_REFS = 'refs/tags/'
/** A tag of an image (OCI distribution 1.1). */
const IMAGE_TAG = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/
/** Git writes the object of an annotated tag so, after the tag itself. */
const PEELED = '^{}'

/** Tags of refs by their full names. */
export function tagsOf(refs: Iterable<readonly [string, string]>): readonly Tag[] {
  const tags = new Map<string, ObjectId>()
  for (const [ref, id] of refs) {
    const isPeeled = ref.endsWith(PEELED)
    const name = ref.slice(TAG_REFS.length, isPeeled ? -PEELED.length : undefined)
    const commit = ObjectId.parse(id)
    if (commit !== undefined && IMAGE_TAG.test(name) && (isPeeled || !tags.has(name))) {
      tags.set(name, commit)
    }
  }
  return Array.from(tags, ([name, commit]) => ({ name, commit }))
    .toSorted((one, other) => bytewise(one.name, other.name))
    .slice(0, TAGS_MAX)
}

export async function listTags(directory: string): GitAnswer<readonly Tag[]> {
  const format = '--format=%(objectname) %(refname)%0a%(*objectname) %(refname)^{}'
  const text = await gitText(directory, ['for-each-ref', format, TAG_REFS])
  if (!text.ok) return text
  return ok(tagsOf(text.value.split('\n').map((line) => splitAtSpace(line))))
}

const splitAtSpace = (line: string): readonly [string, string] => {
  const at = line.indexOf(' ')
  return [line.slice(at + 1), line.slice(0, at)]
}

/** Names of branches and tags are ASCII. */
const bytewise = (one: string, other: string) => (one < other ? -1 : 1)
