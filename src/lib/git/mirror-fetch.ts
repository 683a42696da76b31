import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createPauses } from '../concurrency/pauses.ts'
import type { ObjectId, RepositoryId } from '../names.ts'
import type { GitAnswer } from '../ports/git-host.ts'
import { err, ok } from '../result.ts'
import { complaintOf, hostError } from './git.ts'
import { MISSING_COMMIT } from './host-words.ts'
import { SEEN } from './refs.ts'
import { overNetwork, type Remote } from './remote.ts'

const DEADLINE_MS = 5 * 60_000
/** Upper bound of a pack that comes from a host. */
const PACK_BYTES_MAX = 4 * 1024 ** 3
const PACK_WATCH_MS = 500
const PACKS = 'objects/pack'
/** Another process fetches at the same moment: it has a lock, or has removed a pack that was arriving. */
const CONTENDED =
  /\.lock': File exists|could not lock|unable to lock|shallow file has changed|unable to write file .*: No such file|unable to rename temporary/i
/** For three seconds together: busy processes hold a lock for longer than a moment, and a mirror whose lock stays is made again. */
const CONTENDED_ATTEMPTS = 5
const CONTENDED_PAUSE_MS = 100

/** Fetches commits by their ids. Another process with this folder may fetch at the same moment. `depth`: as git's option. */
export async function fetchCommits(...request: Parameters<typeof fetchNow>): GitAnswer<void> {
  const pauses = createPauses(CONTENDED_PAUSE_MS)
  for (let attempt = 0; ; attempt += 1) {
    const fetched = await fetchNow(...request)
    const isContended =
      !fetched.ok && fetched.error.kind === 'git_host_error' && CONTENDED.test(fetched.error.reason)
    if (!isContended || attempt === CONTENDED_ATTEMPTS) return fetched
    await Bun.sleep(pauses.next())
  }
}

async function fetchNow(
  remote: Remote,
  id: RepositoryId,
  directory: string,
  commits: readonly ObjectId[],
  depth: readonly string[],
): GitAnswer<void> {
  const before = await arriving(directory)
  const tooLarge = new AbortController()
  const watch = setInterval(() => {
    void packBytes(directory, before).then((bytes) => bytes > PACK_BYTES_MAX && tooLarge.abort())
  }, PACK_WATCH_MS)
  const options = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance']
  const refs = commits.map((commit) => `+${commit}:${SEEN}${commit}`)
  const output = await overNetwork(
    remote,
    id,
    directory,
    (url) => ['fetch', ...options, ...depth, '--end-of-options', url, ...refs],
    { deadlineMs: DEADLINE_MS, signal: tooLarge.signal },
  ).finally(() => clearInterval(watch))
  if (output.ok && output.value.code === 0) return ok(undefined)
  const isContended = output.ok && CONTENDED.test(output.value.stderr)
  // Git leaves the part of a pack that has arrived. Beside another fetch it may be that one's.
  for (const name of isContended ? [] : await arriving(directory)) {
    if (!before.has(name)) await rm(join(directory, PACKS, name), { force: true })
  }
  if (tooLarge.signal.aborted) return err(hostError('the host sent more than a mirror may take'))
  if (!output.ok) return output
  return MISSING_COMMIT.test(output.value.stderr)
    ? err({ kind: 'git_not_found', what: 'commit' })
    : err(complaintOf(['fetch'], output.value))
}

/** Names of the packs that are arriving, or whose arrival broke off. */
async function arriving(directory: string): Promise<ReadonlySet<string>> {
  const names = await readdir(join(directory, PACKS)).catch(() => [])
  return new Set(names.filter((name) => name.startsWith('tmp_')))
}

/** Size of the pack that is arriving. */
async function packBytes(directory: string, before: ReadonlySet<string>): Promise<number> {
  const names = [...(await arriving(directory))].filter((name) => !before.has(name))
  return Math.max(0, ...names.map((name) => Bun.file(join(directory, PACKS, name)).size))
}
