import { isDeepStrictEqual } from 'node:util'
import type { OverlayConfig } from '../gitops/overlay.ts'
import type { ExistingOverlay } from './application.ts'

/** An overlay of a branch, where that branch began, and on the default branch. */
export interface OverlayVersions {
  readonly branch: ExistingOverlay
  readonly began: ExistingOverlay
  readonly live: ExistingOverlay
}

/** The overlay after a merge: what the branch did not change is as on the default branch now. */
export function proposedOverlay({ branch, began, live }: OverlayVersions): ExistingOverlay {
  const changed = <Value>(valueOf: (overlay: ExistingOverlay) => Value): Value =>
    valueOf(isDeepStrictEqual(valueOf(branch), valueOf(began)) ? live : branch)
  const replicas = changed(({ config }) => config.replicas)
  const ingress = changed(({ config }) => config.ingress)
  const database = changed(({ config }) => config.database)
  const requests = changed(({ config }) => config.resources?.requests)
  const limits = changed(({ config }) => config.resources?.limits)
  const resources = { ...(requests && { requests }), ...(limits && { limits }) }
  const config: OverlayConfig = {
    ...(replicas !== undefined && { replicas }),
    ...((requests ?? limits) && { resources }),
    ...(ingress && { ingress }),
    ...(database && { database }),
  }
  return {
    ...live,
    image: changed(({ image }) => image),
    namespace: changed(({ namespace }) => namespace),
    config,
  }
}
