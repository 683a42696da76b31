import { createAppAuth } from '@octokit/auth-app'
import type { GitAnswer } from '../../../../ports/git-host.ts'
import { err, ok } from '../../../../result.ts'
import { type Answer, hostError } from '../../hosted/api/client.ts'
import { createHostClient, type HostClientOptions } from '../../hosted/api/create-client.ts'
import { CREDENTIALS_REFUSED } from '../../hosted/api/outage.ts'
import { octokitExchange, type SigningApp } from './octokit-exchange.ts'

export interface InstalledApp extends SigningApp {
  readonly installationId: number
}

/** A log for Octokit that writes nothing: the caller logs why there is no token. */
const SILENT = { info() {}, warn() {}, error() {} }

export interface AppRequests {
  /** Asks about the App itself, with a JSON Web Token that its key signs. */
  ask(method: 'GET' | 'POST', path: string): GitAnswer<Answer>
}

/** Requests of an App, which have limits of their own. */
export function createAppRequests(
  { appId, privateKey }: SigningApp,
  { exchange, ...options }: Omit<HostClientOptions, 'credentials' | 'onRateLimit' | 'log'>,
): AppRequests {
  const app = { appId, privateKey }
  const sign = createAppAuth(app)
  const client = createHostClient({
    ...options,
    exchange: octokitExchange(exchange, options.root, app),
    credentials: {
      current: async () => ok(`Bearer ${(await sign({ type: 'app' })).token}`),
      refused: () => false,
    },
    onRateLimit() {},
    log: SILENT,
  })
  return {
    async ask(method, path) {
      const answer = await (method === 'GET' ? client.read(path) : client.write(method, path))
      if (answer.ok || answer.error.kind !== 'git_denied') return answer
      return answer.error === CREDENTIALS_REFUSED
        ? err({ kind: 'git_denied', what: 'the id or the private key of the App was refused' })
        : hostError('redirected a request of the App')
    },
  }
}
