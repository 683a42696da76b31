import { err, ok, type Result } from '../../../result.ts'
import type { FieldError } from '../../../schema/field-error.ts'
import { basePath } from '../../gitops/application.ts'
import {
  BASE_FILE,
  defaultDatabaseName,
  type OverlayConfig,
  overlayFolder,
  PATCH_FILE,
  SETTINGS,
  settingsOn,
} from '../../gitops/overlay.ts'
import type { OverlayClaim } from '../overview/apps-reader.ts'
import { resourceFaults } from '../quantity.ts'
import { type OverlayFacts, overlayPaths, type OverlaySpec } from './facts.ts'
import { type Claim, configIn } from './manifests.ts'

export type OverlayCheckFailure =
  | { readonly kind: 'validation_failed'; readonly errors: readonly FieldError[] }
  | { readonly kind: 'host_taken'; readonly claimedBy: string }
  | { readonly kind: 'database_taken'; readonly name: string; readonly claimedBy: string }

/** Refuses values that contradict each other, and hosts and databases that another overlay has. */
export function checkOverlay(
  spec: OverlaySpec,
  facts: OverlayFacts,
): Result<void, OverlayCheckFailure> {
  const faults = valueFaults(spec, facts)
  if (faults.length > 0) return err({ kind: 'validation_failed', errors: faults })
  for (const wanted of wantedBy(spec, facts)) {
    const claim = conflictingClaim(facts.claims.claims, wanted, spec)
    if (claim !== undefined) return err(takenBy(claim))
  }
  return ok(undefined)
}

/** The patch of the overlay that exists. */
export function patchThere(spec: OverlaySpec, { texts }: OverlayFacts): string | undefined {
  const path = overlayPaths(spec).find((each) => each.endsWith(`/${PATCH_FILE}`))
  return path && texts.get(path)
}

const settingsThere = (spec: OverlaySpec, facts: OverlayFacts): OverlayConfig =>
  configIn(patchThere(spec, facts))

/** A release is not refused for resources that it does not name. */
function valueFaults(spec: OverlaySpec, facts: OverlayFacts): readonly FieldError[] {
  const { base, config, live } = spec
  const unsupported = SETTINGS.filter(
    (name) => config[name] !== undefined && !settingsOn(base).includes(name),
  )
  if (unsupported.length > 0) {
    return unsupported.map((name) => ({
      path: `/overlayConfig/${name}`,
      rule: 'supported',
      message: `needs ${name === 'replicas' ? 'one Deployment or StatefulSet' : 'an XTenantApp'} in the base; change it in the files of the application`,
    }))
  }
  if (live !== null && config.resources === undefined) return []
  return resourceFaults(config.resources, settingsThere(spec, facts).resources, base.resources)
}

function wantedBy(spec: OverlaySpec, facts: OverlayFacts): readonly Claim[] {
  const { promotable, stage, base, config, live } = spec
  const host = config.ingress?.host
  const there = settingsThere(spec, facts).database
  const wanted = config.database ?? (live === null ? there : undefined)
  const isWanted = wanted !== undefined || (live === null && base.database)
  const unnamed = defaultDatabaseName(promotable.app, stage.environment)
  const name = wanted?.name ?? there?.name ?? unnamed
  return [
    ...(host === undefined ? [] : [{ kind: 'host', name: host } as const]),
    ...(isWanted ? [{ kind: 'database', name } as const] : []),
  ]
}

/** The claim that conflicts with a wanted one. The application's own base counts if another of its environments inherits from it. */
function conflictingClaim(
  claims: readonly OverlayClaim[],
  wanted: Claim,
  { stage, promotable: { team, app, application } }: OverlaySpec,
): OverlayClaim | undefined {
  const isIn = (folder: string) => {
    const start = `${overlayFolder(team, app, folder)}/`
    return ({ path }: OverlayClaim) => path.startsWith(start)
  }
  const ofKind = claims.filter(({ kind }) => kind === wanted.kind)
  const isInherited = [...application.overlays].some(
    ([other, { folder }]) => other !== stage && !ofKind.some(isIn(folder)),
  )
  const base = basePath(team, app, BASE_FILE)
  return ofKind.find(
    (claim) =>
      claim.name === wanted.name &&
      !stage.folders.some((folder) => isIn(folder)(claim)) &&
      (claim.path !== base || isInherited),
  )
}

const takenBy = ({ kind, name, path }: OverlayClaim) =>
  kind === 'host'
    ? ({ kind: 'host_taken', claimedBy: path } as const)
    : ({ kind: 'database_taken', name, claimedBy: path } as const)
