import type { Remote } from '../../../git/remote.ts'
import { withinDeadline } from '../../../outbound/deadline.ts'
import { ok } from '../../../result.ts'
import type { Credentials } from './api/credentials.ts'
import type { Branches } from './branches.ts'
import type { KnownRepositories } from './known-repositories.ts'

const CREDENTIALS_DEADLINE_MS = 10_000

export interface RemoteOptions {
  /** URL that clone URLs begin with, without a slash at its end. */
  readonly webUrl: string
  readonly credentials: Credentials
  /** User name beside a token; the hosts document one each. */
  readonly user: string
  readonly known: KnownRepositories
  readonly branches: Branches
  readonly rightToWrite: string
  readonly authorityFile: string | null
}

/** How git itself reaches a host that has an API. */
export function createRemote({
  webUrl,
  credentials,
  user,
  known,
  branches,
  rightToWrite,
  authorityFile,
}: RemoteOptions): Remote {
  return {
    async connect(repository) {
      const given = await withinDeadline(CREDENTIALS_DEADLINE_MS, (signal) =>
        credentials.current(signal),
      )
      if (!given.ok) return given
      const token = given.value.slice(given.value.indexOf(' ') + 1)
      const basic = Buffer.from(`${user}:${token}`).toString('base64')
      return ok({
        url: `${webUrl}/${known.fullNameOf(repository)}.git`,
        authorization: `Basic ${basic}`,
        async renew(why) {
          if (why === 'credentials') return credentials.refused(given.value)
          const before = known.fullNameOf(repository)
          await known.now(repository)
          return known.fullNameOf(repository) !== before
        },
      })
    },
    head: (repository, branch) => branches.head(repository, branch),
    requireComplete: (repository) => known.requireComplete(repository),
    requireWritable: (repository) => known.requireWritable(repository),
    rightToWrite,
    authorityFile,
  }
}
