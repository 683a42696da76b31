import { settings } from '#src/config/table.ts'
import type { Pipeline } from '#src/lib/domain/promotion/pipeline.ts'
import { valueOf } from '#tests/support/value-of.ts'

/** What `ENVIRONMENTS` makes; without a text the default of three environments. */
export function pipelineOf(text?: string): Pipeline {
  const { parse, fallback = '' } = settings.ENVIRONMENTS
  return valueOf(parse(text ?? fallback))
}
