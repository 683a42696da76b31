import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { BranchName, RepositoryPart, type RepositoryId } from '../../../names.ts'
import type { GitAnswer, Head, NewRepository } from '../../../ports/git-host.ts'
import { err, ok } from '../../../result.ts'
import { importCommit } from '../../../git/fast-import.ts'
import { ifMissing, onErrno } from '../../../files/errno.ts'
import { gitText, hostError } from '../../../git/git.ts'
import {
  branchRef,
  readHead,
  type RefChange,
  type RefEdit,
  type Refs,
  updateRefs,
} from '../../../git/refs.ts'
import type { Signing } from '../../../git/signing.ts'
import { createSweeper, UNFINISHED } from '../../../git/sweep.ts'
import { readSettings, storable, writeSettings } from './repository-settings.ts'

const MAIN = BranchName.of('main')
/** Error codes of a rename whose target exists. */
const TAKEN = ['EEXIST', 'ENOTEMPTY']

/** An existing repository, for one call. */
export interface OpenRepository {
  readonly id: RepositoryId
  readonly directory: string
  readonly refs: () => GitAnswer<Refs>
  /** `updateRefs`, and reports the changes to the listener. */
  readonly changeRefs: (edits: readonly RefEdit[]) => GitAnswer<'changed' | 'lost'>
  readonly signing: Signing | null
  /** The page of a pull request. */
  readonly urlOf: (number: number) => string
}

/** Bare repositories in `<root>/<owner>/<name>.git`. */
export function createRepositories(root: string, signing: Signing | null) {
  const base = resolve(root)
  const sweep = createSweeper()
  const directoryOf = ({ owner, name }: RepositoryId) => join(base, owner, `${name}.git`)

  return {
    directoryOf,

    async locate(id: RepositoryId): GitAnswer<string> {
      const directory = directoryOf(id)
      try {
        if (!(await holdsRepository(directory))) {
          return err({ kind: 'git_not_found', what: 'repository' })
        }
        await Promise.all([sweep.owner(dirname(directory)), sweep.repository(directory)])
        return ok(directory)
      } catch (cause) {
        return err(hostError(`the repository cannot be read: ${String(cause)}`))
      }
    },

    /** Visible only when complete, by a rename of its directory, which one of several callers wins. */
    async create(
      id: RepositoryId,
      request: NewRepository,
      now: number,
    ): GitAnswer<{ readonly head: Head; readonly change: RefChange | null }> {
      const directory = directoryOf(id)
      const owner = join(base, id.owner)
      const unfinished = join(owner, `${UNFINISHED}${crypto.randomUUID()}`)
      try {
        if (await holdsRepository(directory)) return await adopt(directory, request.marker)
        await mkdir(owner, { recursive: true })
        await sweep.owner(owner)
        if (await isSpelledOtherwise(directory)) return err({ kind: 'git_repository_exists' })
        const built = await build(unfinished, request, now, signing)
        if (!built.ok) return built
        const isPlaced = await rename(unfinished, directory).then(() => true, onErrno(TAKEN, false))
        if (isPlaced) return built
        if (await holdsRepository(directory)) return await adopt(directory, request.marker)
        return err(hostError(`${directory} exists and is no repository`))
      } catch (cause) {
        return err(hostError(`the repository could not be made: ${String(cause)}`))
      } finally {
        await rm(unfinished, { recursive: true, force: true }).catch(() => {})
      }
    },

    /** Every repository, sorted by name. */
    async list(): GitAnswer<readonly RepositoryId[]> {
      try {
        return ok(await repositoriesIn(base))
      } catch (cause) {
        return err(hostError(`the repositories cannot be listed: ${String(cause)}`))
      }
    },
  }
}

async function build(
  directory: string,
  { files, message, author, marker, description, team }: NewRepository,
  now: number,
  signing: Signing | null,
): GitAnswer<{ readonly head: Head; readonly change: RefChange }> {
  const init = ['init', '--quiet', '--bare', '--template=', '--initial-branch=main', directory]
  const made = await gitText(directory, init)
  if (!made.ok) return made
  await writeSettings(directory, { marker, description, team })
  const first = { parent: null, changes: files, message, author, at: now, signing }
  const imported = await importCommit(directory, first)
  if (!imported.ok) return imported
  const { commit } = imported.value
  const change = { ref: branchRef(MAIN), before: null, after: commit }
  const outcome = await updateRefs(directory, [change])
  if (!outcome.ok) return outcome
  return ok({ head: { branch: MAIN, commit }, change })
}

/** Answers with the existing repository when it carries the marker. */
async function adopt(
  directory: string,
  marker: string,
): GitAnswer<{ readonly head: Head; readonly change: null }> {
  const existing = await readSettings(directory)
  if (!existing.ok) return existing
  if (existing.value.marker !== storable(marker)) return err({ kind: 'git_repository_exists' })
  const head = await readHead(directory)
  return head.ok ? ok({ head: head.value, change: null }) : head
}

const holdsRepository = (directory: string) =>
  stat(join(directory, 'HEAD')).then(() => true, ifMissing(false))

/** Whether a repository has this name in upper and lower case: deploy tokens and records know names in lower case. */
async function isSpelledOtherwise(directory: string): Promise<boolean> {
  const name = basename(directory)
  const others = (await namesIn(dirname(directory))).filter((each) => each !== name)
  return others.some((each) => each.toLowerCase() === name.toLowerCase())
}

async function repositoriesIn(base: string): Promise<readonly RepositoryId[]> {
  const repositories: RepositoryId[] = []
  for (const folder of await namesIn(base)) {
    const owner = RepositoryPart.parse(folder)
    if (owner === undefined) continue
    for (const entry of await namesIn(join(base, folder))) {
      const name = entry.endsWith('.git') ? RepositoryPart.parse(entry.slice(0, -4)) : undefined
      if (name !== undefined) repositories.push({ owner, name })
    }
  }
  return repositories
}

const namesIn = async (path: string) =>
  (await readdir(path).catch(ifMissing([]))).toSorted((one, other) => (one < other ? -1 : 1))
