import type { App } from '../app.ts'
import type { Config } from '../config/config.ts'
import type { Keyring } from '../lib/crypto/keyring.ts'
import type { WorkloadsOptions } from '../lib/domain/access/grants/workloads.ts'
import type { Sessions } from '../lib/domain/access/sessions/sessions.ts'
import type { Audit } from '../lib/domain/audit/audit.ts'
import type { ConnectionSubject } from '../lib/domain/connections.ts'
import type { Log } from '../lib/logging/log.ts'
import type { Outages } from '../lib/logging/outages.ts'
import type { AssetCache } from '../lib/ports/asset-cache.ts'
import type { SteadyClock } from '../lib/ports/clock.ts'
import type { Cluster, Kubernetes } from '../lib/ports/clusters.ts'
import type { Database } from '../lib/ports/database.ts'
import type { Forge } from '../lib/ports/forge.ts'
import type { GitHost } from '../lib/ports/git-host.ts'
import type { IdentityProvider, Principal } from '../lib/ports/identity.ts'
import type { KeptBytes } from '../lib/ports/kept-bytes.ts'
import type { SecretStore } from '../lib/ports/secret-store.ts'

/** The options of a portal's parts, which share one log of outages. */
export interface PartOptions extends PortalOptions {
  readonly outages: Outages
}

/** The settings without those that the ports and the address are made of. */
export type PortalConfig = Omit<
  Config,
  | 'PUBLIC_URL'
  | 'SESSION_KEYS'
  | 'SECRET_DIGEST_KEYS'
  | 'openGitHost'
  | 'openSecretStore'
  | 'openIdentity'
  | 'secretStoreKeys'
>

/** The ports and settings of a portal. `serve` and the demo differ in the ports that they bring. */
export interface PortalOptions {
  readonly gitHost: GitHost
  readonly secretStore: SecretStore
  readonly identity: IdentityProvider
  readonly kubernetes: Kubernetes
  /** The current clusters of the registry. */
  readonly clusterRegistry: () => readonly Cluster[]
  /** Checks that the platform team and the metrics ask for. */
  readonly connections: readonly ConnectionSubject[]
  /** Jobs that act for a team; absent: none. */
  readonly workloads?: Pick<WorkloadsOptions, 'rules' | 'tokens'>
  /** Parsed catalog files of an earlier process. Without it a process parses all of them. */
  readonly parsedCatalog?: KeptBytes
  /** Copies of the files of the command line client. */
  readonly assetCache: AssetCache
  readonly database: Database
  /** Seals sessions. */
  readonly keyring: Keyring
  /** Seals the digests by which a repeated promotion knows the secrets that it wrote. */
  readonly digestKeyring: Keyring
  readonly clock: SteadyClock
  readonly log: Pick<Log, 'events' | 'access'>
  readonly publicUrl: URL
  readonly config: PortalConfig
  /** The embedded git host, whose pages and repositories are served. */
  readonly forge?: {
    readonly host: Forge
    /** The person of a password for git; absent where people have none. */
    readonly personOf?: (user: string, password: string) => Principal | undefined
    /** Called after a change of a repository, and awaited by whoever made it. */
    readonly changed?: () => Promise<void>
  }
  /** Called with the end of each scaffold run: `complete`, or the code of its failure. */
  readonly onRunEnded?: (outcome: string) => void
  /** Without the console `/` leads there, by default to the documentation of the API. */
  readonly startPage?: string
  readonly extraRoutes?: (portal: {
    readonly sessions: Sessions
    readonly audit: Audit
  }) => App['elysia']
}
