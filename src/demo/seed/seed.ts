import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { ifMissing } from '../../lib/files/errno.ts'
import { createLocalGitHost } from '../../lib/adapters/hosts/forge/index.ts'
import { type ObjectId, parseRepositoryId, type RepositoryId } from '../../lib/names.ts'
import { updateRefs } from '../../lib/git/refs.ts'
import type { Head } from '../../lib/ports/git-host.ts'
import * as cli from './cli.ts'
import * as gitops from './gitops.ts'
import {
  type DatedGitHost,
  must,
  seedCommit,
  seedPullRequest,
  seedRepository,
} from './git-history.ts'
import * as ledger from './ledger.ts'
import { type NewRelease, publishRelease } from '../releases.ts'
import * as templates from './templates.ts'

const ORGANISATION = 'acme'
const DAY_MS = 86_400_000

function repository(name: string): RepositoryId {
  const id = parseRepositoryId(`${ORGANISATION}/${name}`)
  if (id === undefined) throw new Error(`not a repository name: ${name}`)
  return id
}

export const GITOPS = repository('gitops')
const TEMPLATES = repository('templates')
const CLI = repository('cli')
const LEDGER = repository('ledger')

/**
 * Creates the repositories of the organisation `acme`, unless they exist. They are built in a temporary folder and moved by
 * one rename, so an interrupted start leaves no incomplete repository.
 */
export async function seed(directory: string, now: number): Promise<'seeded' | 'kept'> {
  const target = join(directory, ORGANISATION)
  const unfinished = `${directory}.unfinished`
  await removeQuietly(unfinished)
  if (await exists(target)) return 'kept'
  const temporary = join(unfinished, crypto.randomUUID())
  await Promise.all([directory, temporary].map((folder) => mkdir(folder, { recursive: true })))

  let clock = now
  const goTo = (daysAgo: number) => {
    clock = now - daysAgo * DAY_MS
  }
  const host = createLocalGitHost({
    directory: temporary,
    publicUrl: 'http://127.0.0.1',
    clock: { now: () => clock },
  })
  // Git runs in another folder than this process.
  const cliFolder = resolve(temporary, ORGANISATION, `${CLI.name}.git`)
  await seedRepositories({ host, goTo }, temporary, (release, commit) =>
    publishRelease(cliFolder, release, commit, clock),
  )
  await rename(join(temporary, ORGANISATION), target)
  await removeQuietly(unfinished)
  return 'seeded'
}

/** Runs sequentially, as all repositories share the clock. */
async function seedRepositories(
  dated: DatedGitHost,
  temporary: string,
  publish: (release: NewRelease, commit: ObjectId) => Promise<void>,
): Promise<void> {
  let base = await seedRepository(dated, {
    id: GITOPS,
    description: 'Applications of acme and their environments',
    commits: gitops.commits,
  })
  for (const pullRequest of gitops.pullRequests) {
    base = await seedPullRequest(dated, GITOPS, base, pullRequest)
  }
  await seedRepository(dated, {
    id: TEMPLATES,
    description: 'Templates for new projects',
    commits: templates.commits,
  })
  await seedSource(dated, temporary)
  base = await seedRepository(dated, {
    id: CLI,
    description: 'The command line client',
    commits: [cli.firstCommit],
  })
  for (const { release, commit } of cli.history) {
    base = await seedCommit(dated, CLI, base, commit)
    await publish(release, base.commit)
  }
}

const tagAt = (tag: string, { commit }: Head) => ({
  ref: `refs/tags/${tag}`,
  before: null,
  after: commit,
})

/** The source of the ledger, whose versions the pages of a service show. */
async function seedSource(dated: DatedGitHost, temporary: string): Promise<void> {
  const [first, ...rest] = ledger.versions
  let head = await seedRepository(dated, { id: LEDGER, ...ledger.described, commits: [first] })
  const tags = [tagAt(first.tag, head)]
  for (const { tag, ...commit } of rest) {
    head = await seedCommit(dated, LEDGER, head, commit)
    if (tag !== undefined) tags.push(tagAt(tag, head))
  }
  const directory = resolve(temporary, LEDGER.owner, `${LEDGER.name}.git`)
  must(await updateRefs(directory, tags))
}

/** A git process of a killed start may still write there; then the next start removes the folder. */
const removeQuietly = (path: string) => rm(path, { recursive: true, force: true }).catch(() => {})

const exists = (path: string) => stat(path).then(() => true, ifMissing(false))
