import type { EnvironmentName } from '../../../names.ts'
import { err, ok, type Result } from '../../../result.ts'
import type { FieldError } from '../../../schema/field-error.ts'
import { type Image, isUntagged } from '../../gitops/overlay.ts'
import type { Pipeline } from '../pipeline.ts'
import type { PromotionRequest } from '../request.ts'
import type { Promotable } from '../subject.ts'

export interface RequestedImage {
  readonly image: Image | null
  /** Environment whose image was asked for. */
  readonly imageFrom: EnvironmentName | null
}

/** The image that a request names, by tag and digest or by an environment that runs it. */
export function requestedImage(
  { stages }: Pipeline,
  { overlayConfig = {} }: PromotionRequest,
  { application }: Pick<Promotable, 'application'>,
): Result<RequestedImage, FieldError> {
  const { tag, digest, from } = overlayConfig.image ?? {}
  if (from === undefined) {
    const image = { tag: tag ?? null, digest: digest ?? null }
    return ok({ image: isUntagged(image) ? null : image, imageFrom: null })
  }
  const stage = stages.find(({ environment }) => environment === from)
  const image = (stage && application.overlays.get(stage)?.image) ?? null
  return isUntagged(image)
    ? err({
        path: '/overlayConfig/image/from',
        rule: 'nothing_runs',
        message: 'must be an environment that runs an image of the application, such as dev',
      })
    : ok({ image, imageFrom: from })
}
