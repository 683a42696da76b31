import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { BranchName, RepositoryPart, type RepositoryId } from '../../../names.ts'
import type { GitFailure, Head, NewRepository } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { importCommit } from './fast-import.ts'
import { ifMissing, ifTaken } from './file-errors.ts'
import { complaintOf, gitText, hostError, runGit } from './git.ts'
import { readHead } from './head.ts'
import { branchRef, changeRefs, type RefChange } from './refs.ts'

const MAIN = BranchName.parse('main')
/** Not a `RepositoryPart`, so that half-made repositories have no name. */
const UNFINISHED = '.new-'
const ABANDONED_MS = 60 * 60_000

/** Bare repositories in `<root>/<owner>/<name>.git`. */
export function createRepositories(root: string) {
  const base = resolve(root)
  const place = ({ owner, name }: RepositoryId) => join(base, owner, `${name}.git`)

  return {
    place,

    async locate(id: RepositoryId): Promise<Result<string, GitFailure>> {
      const directory = place(id)
      try {
        return (await holdsRepository(directory))
          ? ok(directory)
          : err({ kind: 'git_not_found', what: 'repository' })
      } catch (cause) {
        return err(hostError(`the repository cannot be read: ${String(cause)}`))
      }
    },

    /** Visible only when complete, by renaming its directory: of several at once, one has its name. */
    async create(
      id: RepositoryId,
      request: NewRepository,
      now: number,
    ): Promise<Result<{ readonly head: Head; readonly change: RefChange | null }, GitFailure>> {
      const directory = place(id)
      const owner = join(base, id.owner)
      const unfinished = join(owner, `${UNFINISHED}${crypto.randomUUID()}`)
      try {
        if (await holdsRepository(directory)) return await adopt(directory, request.marker)
        await mkdir(owner, { recursive: true })
        await removeAbandoned(owner)
        const made = await build(unfinished, request, now)
        if (!made.ok) return made
        const placed = await rename(unfinished, directory).then(() => true, ifTaken(false))
        if (placed) return ok(made.value)
        if (await holdsRepository(directory)) return await adopt(directory, request.marker)
        return err(hostError('something that is no repository has its place'))
      } catch (cause) {
        return err(hostError(`the repository could not be made: ${String(cause)}`))
      } finally {
        await rm(unfinished, { recursive: true, force: true }).catch(() => {})
      }
    },

    /** Every repository, by name. */
    async list(): Promise<Result<readonly RepositoryId[], GitFailure>> {
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
  { files, message, author, marker, description }: NewRepository,
  now: number,
): Promise<Result<{ readonly head: Head; readonly change: RefChange }, GitFailure>> {
  if (MAIN === undefined) throw new Error('main is a branch name')
  const config = ['config', '--file', join(directory, 'config')]
  for (const args of [
    ['init', '--quiet', '--bare', '--template=', '--initial-branch=main', directory],
    [...config, '--', 'portico.marker', marker.replaceAll('\0', '')],
    [...config, '--', 'portico.description', description.replaceAll('\0', '')],
  ]) {
    const done = await gitText(directory, args)
    if (!done.ok) return done
  }
  const first = { parent: null, changes: files, message, author, at: now }
  const imported = await importCommit(directory, first)
  if (!imported.ok) return imported
  const { commit } = imported.value
  const change = { ref: branchRef(MAIN), before: null, after: commit }
  const outcome = await changeRefs(directory, [change])
  if (!outcome.ok) return outcome
  return ok({ head: { branch: MAIN, commit }, change })
}

/** The repository is there already: ours, when it carries the marker. */
async function adopt(
  directory: string,
  marker: string,
): Promise<Result<{ readonly head: Head; readonly change: null }, GitFailure>> {
  const args = ['config', '--file', join(directory, 'config'), '--null', '--get', 'portico.marker']
  const finished = await runGit(directory, args)
  if (!finished.ok) return finished
  const { code, stdout } = finished.value
  if (code > 1) return err(complaintOf(args, finished.value))
  const theirs = code === 0 ? new TextDecoder().decode(stdout).slice(0, -1) : undefined
  if (theirs !== marker.replaceAll('\0', '')) return err({ kind: 'git_repository_exists' })
  const head = await readHead(directory)
  return head.ok ? ok({ head: head.value, change: null }) : head
}

const holdsRepository = (directory: string) =>
  stat(join(directory, 'HEAD')).then(() => true, ifMissing(false))

async function repositoriesIn(base: string): Promise<readonly RepositoryId[]> {
  const found: RepositoryId[] = []
  for (const folder of await namesIn(base)) {
    const owner = RepositoryPart.parse(folder)
    if (owner === undefined) continue
    for (const entry of await namesIn(join(base, folder))) {
      const name = entry.endsWith('.git') ? RepositoryPart.parse(entry.slice(0, -4)) : undefined
      if (name !== undefined) found.push({ owner, name })
    }
  }
  return found
}

const namesIn = async (path: string) =>
  (await readdir(path).catch(ifMissing([]))).toSorted((one, other) => (one < other ? -1 : 1))

/** What a crash in the middle of `create` left. */
async function removeAbandoned(owner: string): Promise<void> {
  for (const name of await namesIn(owner)) {
    if (!name.startsWith(UNFINISHED)) continue
    const found = await stat(join(owner, name)).catch(ifMissing(undefined))
    if (found === undefined || Date.now() - found.mtimeMs < ABANDONED_MS) continue
    await rm(join(owner, name), { recursive: true, force: true })
  }
}
