import { settings } from '#src/config/table.ts'
import type { Pipeline } from '#src/lib/domain/promotion/pipeline.ts'

/** What `ENVIRONMENTS` makes; without a text the default of three environments. */
export function pipelineOf(text?: string): Pipeline {
  const { parse, fallback = '' } = settings.ENVIRONMENTS
  const pipeline = parse(text ?? fallback)
  if (!pipeline.ok) throw new Error(pipeline.error)
  return pipeline.value
}
