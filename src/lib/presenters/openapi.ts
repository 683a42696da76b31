import { readFileSync } from 'node:fs'
import file from '../../openapi.gen.json' with { type: 'file' }
import type { Pipeline } from '../domain/promotion/pipeline.ts'
import { pipelineSchemas } from '../domain/promotion/pipeline-schemas.ts'
import { isObject } from '../text/json.ts'

/** The OpenAPI document of an installation. The generated one has the default environments. */
export function openApiText(pipeline: Pipeline): string {
  const generated = readFileSync(pathOf(file), 'utf8')
  const text = withPipeline(generated, pipeline)
  return text === generated ? text : withoutEnvironmentExamples(text)
}

/** The examples name the default environments. Without one, a tool makes it from the schemas. */
const withoutEnvironmentExamples = (document: string): string =>
  reviseJson(document, (_, value) =>
    isObject(value) && namesEnvironments(value)
      ? JSON.parse(
          reviseJson(JSON.stringify(value), (key, member) =>
            key === 'example' ? undefined : member,
          ),
        )
      : value,
  )

const namesEnvironments = ({ tags, operationId }: Readonly<Record<string, unknown>>): boolean =>
  operationId === 'listNamespaces' || (Array.isArray(tags) && tags.includes('Promotion'))

const reviseJson = (text: string, revise: (key: string, value: unknown) => unknown): string =>
  toText(JSON.parse(text, revise))

const toText = (document: unknown): string => `${JSON.stringify(document, null, 2)}\n`

/** Replaces the schemas whose values `ENVIRONMENTS` decides, and nothing else. */
export function withPipeline(document: string, pipeline: Pipeline): string {
  const parsed: unknown = JSON.parse(document)
  const components = isObject(parsed) ? parsed['components'] : undefined
  const schemas = isObject(components) ? components['schemas'] : undefined
  if (!isObject(schemas)) throw new Error('the OpenAPI document has no schemas')
  Object.assign(schemas, pipelineSchemas(pipeline))
  return toText(parsed)
}

/** `type: 'file'` embeds the document and imports its path; the type checker sees a JSON module. */
function pathOf(imported: unknown): string {
  if (typeof imported !== 'string') throw new Error('openapi.gen.json was not imported as a file')
  return imported
}
