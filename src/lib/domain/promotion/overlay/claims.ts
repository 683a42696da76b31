import type { AppName, RepositoryPath, TeamName } from '../../../names.ts'
import { basePath } from '../../gitops/application.ts'
import { BASE_FILE, overlayFolder } from '../../gitops/overlay.ts'
import type { Stage } from '../pipeline.ts'

/** The name of something that only one overlay can have. */
export interface Claim {
  readonly kind: 'host' | 'database'
  readonly name: string
}

export interface OverlayClaim extends Claim {
  readonly path: RepositoryPath
}

export interface OverlayClaims {
  readonly claims: readonly OverlayClaim[]
  /** Folders that are not read whole: further claims of theirs are unknown. */
  readonly cut: readonly string[]
}

export const NO_CLAIMS: OverlayClaims = { claims: [], cut: [] }

interface ClaimingApplication {
  readonly team: TeamName
  readonly app: AppName
  readonly application: {
    readonly overlays: ReadonlyMap<Stage, { readonly folder: string }>
  }
}

/** The claim that conflicts with a wanted one. The application's own base counts if another of its environments inherits from it. */
export function conflictingClaim(
  claims: readonly OverlayClaim[],
  wanted: Claim,
  { team, app, application }: ClaimingApplication,
  stage: Stage,
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
