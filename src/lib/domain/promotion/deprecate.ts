import type { Result } from '../../result.ts'
import type { GitFailure } from '../../ports/git-host.ts'
import { plain, quoted } from '../gitops/free-text.ts'
import type { EditFailure } from '../gitops/edit-entity.ts'
import { type EntityChange, entityChange } from './entity-change.ts'
import type { Admission, GateOptions } from './gate.ts'
import { DEPRECATED } from './pipeline.ts'
import type { PromotionRequest } from './request.ts'
import type { EntityRequest } from './subject.ts'

export interface DeprecateOptions extends GateOptions {
  /** ISO date of today. */
  readonly today: () => string
}

/** The change that deprecates an entity: its lifecycle, and annotations with the reason, the person and the replacement. */
export function deprecation(
  options: DeprecateOptions,
  entityRequest: EntityRequest,
  { deprecation = {} }: PromotionRequest,
  admission: Admission,
): Promise<Result<EntityChange, GitFailure | EditFailure>> {
  const { reason, replacedBy, sunsetAt } = deprecation
  const { principal } = entityRequest
  const { team, app } = admission.promotable
  const annotations = {
    reason,
    'replaced-by': replacedBy,
    'sunset-at': sunsetAt,
    by: principal.subject,
    at: options.today(),
  }
  return entityChange(options, entityRequest, admission, {
    move: { team, app, act: 'deprecate', environment: '' },
    edits: [
      { path: ['spec', 'lifecycle'], value: DEPRECATED },
      ...Object.entries(annotations).flatMap(([name, value]) =>
        value === undefined || value === ''
          ? []
          : [{ path: ['metadata', 'annotations', `portico/deprecated-${name}`], value }],
      ),
    ],
    title: `[Deprecate] ${team}/${app}`,
    summary: `deprecate: ${team}/${app}`,
    body: [
      `Marks **${team}/${app}** as deprecated, asked for by ${plain(principal.name)}.`,
      ...(reason ? ['', ...quoted(reason)] : []),
    ],
  })
}
