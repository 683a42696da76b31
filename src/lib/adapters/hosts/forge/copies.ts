import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Static, Type } from 'typebox'
import { complaintOf, gitText, hostError, runGit } from '../../../git/git.ts'
import { BranchName, type RepositoryId, RepositoryOwner, RepositoryPart } from '../../../names.ts'
import type { GitAnswer } from '../../../ports/git-host.ts'
import { allOk, err, ok } from '../../../result.ts'
import { named } from '../../../schema/named.ts'
import { Nullable } from '../../../schema/nullable.ts'
import { createRepositories } from './repositories.ts'
import { readSettings, writeSettings } from './repository-settings.ts'

/** Facts of a repository that a git bundle does not hold. */
export const RepositoryCopy = Type.Object({
  owner: named(RepositoryOwner),
  name: named(RepositoryPart),
  defaultBranch: named(BranchName),
  marker: Nullable(Type.String()),
  description: Nullable(Type.String()),
  team: Nullable(Type.String()),
})
export type RepositoryCopy = Omit<Static<typeof RepositoryCopy>, 'owner'> & RepositoryId

/** Packing or unpacking one repository. */
const DEADLINE_MS = 60 * 60_000
const NO_REFS = 'Refusing to create empty bundle'
const HEAD = /^ref: refs\/heads\/(.+)\n$/

export const listRepositories = (root: string) => createRepositories(root, null).list()

const directoryOf = (root: string, { owner, name }: RepositoryId) =>
  join(root, owner, `${name}.git`)

/**
 * Writes a bundle of all refs of a repository, and describes the rest. Of a repository without refs git makes no bundle: the file
 * is then not there.
 */
export async function copyRepository(
  root: string,
  id: RepositoryId,
  bundle: string,
): GitAnswer<RepositoryCopy> {
  const directory = directoryOf(root, id)
  const args = ['bundle', 'create', '--quiet', bundle, '--all']
  const head = await readFile(join(directory, 'HEAD'), 'utf8').catch(() => '')
  const defaultBranch = BranchName.parse(HEAD.exec(head)?.[1])
  if (defaultBranch === undefined) return err(hostError(`${directory} has no default branch`))
  const done = await allOk([
    readSettings(directory),
    runGit(directory, args, { deadlineMs: DEADLINE_MS }),
  ])
  if (!done.ok) return done
  const [settings, packed] = done.value
  if (packed.code !== 0 && !packed.stderr.includes(NO_REFS)) return err(complaintOf(args, packed))
  return ok({ ...id, defaultBranch, ...settings })
}

/** Makes a repository of its copy; `null`: it had no refs. Git checks that nothing is missing. */
export async function restoreRepository(
  root: string,
  copy: RepositoryCopy,
  bundle: string | null,
): GitAnswer<void> {
  const directory = directoryOf(root, copy)
  await mkdir(dirname(directory), { recursive: true })
  const branch = `--initial-branch=${copy.defaultBranch}`
  const init = ['init', '--quiet', '--bare', '--template=', branch, directory]
  const made = await gitText(directory, init)
  if (!made.ok) return made
  const { marker, description, team } = copy
  if (marker !== null) {
    await writeSettings(directory, { marker, description: description ?? '', team: team ?? '' })
  }
  if (bundle === null) return ok(undefined)
  const fetch = ['fetch', '--quiet', '--no-write-fetch-head', bundle, '+refs/*:refs/*']
  const fetched = await gitText(directory, fetch, { deadlineMs: DEADLINE_MS })
  return fetched.ok ? ok(undefined) : fetched
}
