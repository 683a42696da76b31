import { createGitea } from '#src/lib/adapters/hosts/gitea/index.ts'
import { createGitHubClient } from '#src/lib/adapters/hosts/github/api/client.ts'
import type { GitHost } from '#src/lib/ports/git-host.ts'
import { type ObjectId } from '#src/lib/names.ts'
import { newDataDirectory } from '#tests/adapters/hosts/data-directory.ts'
import { openFake, optionsFor } from '#tests/adapters/hosts/gitea/open-gitea.ts'
import { openGitHub, TOKEN as GITHUB_TOKEN } from '#tests/adapters/hosts/github/open-github.ts'
import { silentLog } from '#tests/adapters/hosts/github/silent-log.ts'
import { type GitHostFixture, oid } from '#tests/contracts/git-host.ts'
import type { FaultRule } from '#tests/peers/forge/faults.ts'
import type { BareRepository } from '#tests/peers/forge/git/bare-repository.ts'
import type { GitArrival, GitCallName } from '#tests/peers/forge/git-http.ts'
import { TOKEN as GITEA_TOKEN } from '#tests/peers/gitea/gitea.ts'
import { unpaced } from '#tests/support/write-turns.ts'

type Note = (...line: readonly unknown[]) => void

export interface ProcessOptions {
  readonly dataDirectory?: string
  /** In place of the token of the fixture. */
  readonly tokenFile?: string
  /** Receives every line of the log. */
  readonly note?: Note
}

/** A host with an API, of which git itself reads and writes the content. */
export interface HostedFixture extends GitHostFixture {
  /** The commit of `SEED`. */
  readonly seed: ObjectId
  /** Another process of Portico. */
  another(options?: ProcessOptions): GitHost
  readonly token: string
  /** Admits a token that may do everything. */
  admit(token: string): void
  revoke(token: string): void
  fail(rule: FaultRule<GitCallName>): void
  mend(): void
  /** Round trip of every call. */
  delay(ms: number): void
  /** Requests to the API. */
  readonly arrivals: { readonly name: string }[]
  readonly gitArrivals: GitArrival[]
  /** The repository at the host. */
  readonly bare: BareRepository
}

const logOf = (note: Note | undefined) =>
  note === undefined ? silentLog : { info: note, warn: note, error: note }

async function openGitHubWithGit(): Promise<HostedFixture> {
  const fixture = await openGitHub()
  const { github, seeded } = fixture
  const account = seeded.owner
  return {
    ...fixture,
    token: GITHUB_TOKEN,
    another({ dataDirectory = newDataDirectory(), tokenFile, note } = {}) {
      const log = logOf(note)
      const client = createGitHubClient({
        ...unpaced,
        apiUrl: github.apiUrl,
        access: {
          kind: 'token',
          token:
            tokenFile === undefined
              ? { kind: 'text', text: GITHUB_TOKEN }
              : { kind: 'file', variable: 'GITHUB_TOKEN_FILE', path: tokenFile },
        },
        authority: null,
        clock: { now: Date.now },
        log,
        onRateLimit() {},
      })
      return fixture.another({ client, dataDirectory, log })
    },
    admit: (token) => github.addCredential(token, { account }),
    revoke: (token) => void github.state.credentials.delete(token),
    fail: (rule) => github.fail(rule),
    mend: () => github.mend(),
    delay(ms) {
      github.latencyMs = ms
    },
    arrivals: github.arrivals,
    gitArrivals: github.gitArrivals,
    bare: seeded.git,
  }
}

async function openGiteaWithGit(): Promise<HostedFixture> {
  const fixture = await openFake()
  const { gitea, server, repository } = fixture
  const { state } = gitea
  const kept = state.repository(repository.owner, repository.name)
  const owner = state.tokens.get(GITEA_TOKEN)
  if (kept === undefined || owner === undefined) throw new Error('no repository')
  return {
    ...fixture,
    seed: oid((await kept.git.reference('refs/heads/main')) ?? ''),
    token: GITEA_TOKEN,
    another: ({ dataDirectory = newDataDirectory(), tokenFile, note } = {}) =>
      createGitea({
        ...optionsFor(server),
        dataDirectory,
        log: logOf(note),
        ...(tokenFile !== undefined && {
          token: { kind: 'file', variable: 'GITEA_TOKEN_FILE', path: tokenFile },
        }),
      }),
    admit: (token) => void state.tokens.set(token, owner),
    revoke: (token) => void state.tokens.delete(token),
    fail: (rule) => gitea.fail(rule),
    mend: () => gitea.mend(),
    delay(ms) {
      gitea.latencyMs = ms
    },
    arrivals: gitea.arrivals,
    gitArrivals: gitea.gitArrivals,
    bare: kept.git,
  }
}

/** Hosts that answer git's own protocol beside an API. */
export const GIT_HOSTS = [
  ['GitHub', openGitHubWithGit],
  ['Gitea', openGiteaWithGit],
] as const satisfies readonly (readonly [string, () => Promise<HostedFixture>])[]
