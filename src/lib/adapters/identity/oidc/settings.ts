import type { Clock } from '../../../ports/clock.ts'
import type { OidcValues } from '../oidc-kind.ts'
import type { OidcFiles } from './files.ts'

/** The values of the settings, with the contents of the files that they name. */
export interface OidcSettings extends Omit<OidcValues, 'OIDC_CA_FILE' | 'GROUPS_FILE'> {
  readonly files: () => OidcFiles
  /** The portal's own URL, where the provider leads people back to. */
  readonly publicUrl: URL
  readonly clock: Clock
  readonly deadlineMs?: number
}
