import type { Audit } from '../lib/domain/audit/audit.ts'
import type { Sessions } from '../lib/domain/access/sessions/sessions.ts'
import type { DemoIdentity } from './identity.ts'

/** The dependencies of the demo's routes. */
export interface DemoDeps {
  readonly sessions: Pick<Sessions, 'open'>
  readonly audit: Pick<Audit, 'decide'>
  readonly identity: Pick<DemoIdentity, 'signInAs' | 'issueCode'>
  /** The console is served. */
  readonly hasConsole: boolean
  /** For commands to copy. */
  readonly origin: string
}
