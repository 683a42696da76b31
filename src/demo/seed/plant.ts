import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ifMissing } from '../../lib/errno.ts'
import { createLocalGitHost } from '../../lib/adapters/git-host/local/index.ts'
import { parseRepositoryId, type RepositoryId } from '../../lib/names.ts'
import * as cli from './cli.ts'
import * as gitops from './gitops.ts'
import { plantCommit, plantPullRequest, plantRepository, type TimeTravel } from './history.ts'
import { must } from './must.ts'
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

/**
 * Puts the organisation `acme` among the repositories, unless it is there. It is built beside them and moved into place
 * by one rename: whatever ends the process before that leaves nothing, and after it nothing is left to do.
 */
export async function seed(directory: string, now: number): Promise<'seeded' | 'kept'> {
  const place = join(directory, ORGANISATION)
  const workshops = `${directory}.unfinished`
  await removeQuietly(workshops)
  if (await exists(place)) return 'kept'
  const workshop = join(workshops, crypto.randomUUID())
  await Promise.all([directory, workshop].map((folder) => mkdir(folder, { recursive: true })))

  let clock = now
  const goTo = (daysAgo: number) => {
    clock = now - daysAgo * DAY_MS
  }
  const host = createLocalGitHost({
    directory: workshop,
    publicUrl: 'http://127.0.0.1',
    clock: { now: () => clock },
  })
  await plantAll({ host, goTo })
  await rename(join(workshop, ORGANISATION), place)
  await removeQuietly(workshops)
  return 'seeded'
}

/** One after the other: they share a clock. */
async function plantAll(travel: TimeTravel): Promise<void> {
  const { host } = travel
  let base = await plantRepository(travel, {
    id: GITOPS,
    description: 'What runs at acme, and where',
    commits: gitops.commits,
  })
  for (const pullRequest of gitops.pullRequests) {
    base = await plantPullRequest(travel, GITOPS, base, pullRequest)
  }
  await plantRepository(travel, {
    id: TEMPLATES,
    description: 'What new projects start from',
    commits: templates.commits,
  })
  base = await plantRepository(travel, {
    id: CLI,
    description: 'The command line client',
    commits: [cli.firstCommit],
  })
  for (const { release, commit } of cli.history) {
    base = await plantCommit(travel, CLI, base, commit)
    must(await host.publishRelease(CLI, { ...release, commit: base.commit }))
  }
}

/** A git process may outlive the one that was killed and still write there; then the next start removes it. */
const removeQuietly = (path: string) => rm(path, { recursive: true, force: true }).catch(() => {})

const exists = (path: string) => stat(path).then(() => true, ifMissing(false))
