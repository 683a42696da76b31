import { err, ok, type Result } from '../../../result.ts'
import type { FieldError } from '../../../schema/field-error.ts'
import { basePath } from '../../gitops/application.ts'
import {
  BASE_FILE,
  defaultDatabaseName,
  type OverlayConfig,
  overlayFolder,
  SETTINGS,
  settingsOn,
} from '../../gitops/overlay.ts'
import type { MoveFailure } from '../failure.ts'
import type { OverlayClaim } from '../overview/apps-reader.ts'
import { resourceFaults } from '../quantity.ts'
import type { OverlayFacts, OverlaySpec } from './facts.ts'
import type { Claim } from './manifests.ts'

/** Refuses values that contradict each other, and hosts and databases that another overlay has. */
export function checkOverlay(spec: OverlaySpec, facts: OverlayFacts): Result<void, MoveFailure> {
  const there = facts.there.config
  const faults = valueFaults(spec, there)
  if (faults.length > 0) return err({ kind: 'validation_failed', errors: faults })
  for (const wanted of wantedBy(spec, there)) {
    const claim = conflictingClaim(facts.claims.claims, wanted, spec)
    if (claim !== undefined) return err(takenBy(claim))
  }
  return ok(undefined)
}

/** A release is not refused for resources that it does not name. */
function valueFaults(
  { base, config, kind }: OverlaySpec,
  there: OverlayConfig,
): readonly FieldError[] {
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
  if (kind === 'release' && config.resources === undefined) return []
  return resourceFaults(config.resources, there.resources, base.resources)
}

function wantedBy(
  { promotable, stage, base, config, kind }: OverlaySpec,
  { database: there }: OverlayConfig,
): readonly Claim[] {
  const host = config.ingress?.host
  const isPromotion = kind === 'promotion'
  const wanted = config.database ?? (isPromotion ? there : undefined)
  const isWanted = wanted !== undefined || (isPromotion && base.database)
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
