/**
 * Cuts GitHub's OpenAPI descriptions down to the operations of the fake in `tests/peers/github`. The package unpacks to 400 MB,
 * so that it is no dependency: install `@octokit/openapi` in an empty folder and name its `generated` folder.
 *
 *     bun scripts/trim-github-openapi.ts /elsewhere/node_modules/@octokit/openapi/generated
 */
import { join } from 'node:path'
import { OPERATIONS } from '#tests/peers/github/operations.ts'
import { isObject, type Json, type JsonObject, references } from './described-json.ts'

const FLAVOURS = ['api.github.com', 'ghes-3.17', 'ghes-3.19']
const TARGET = 'tests/peers/github/openapi'
/** Prose, samples and extensions, which no check reads. */
const DROPPED = new Set([
  'description',
  'example',
  'examples',
  'externalDocs',
  'summary',
  'tags',
  'title',
  'deprecated',
  'readOnly',
])

/**
 * OpenAPI 3.0 as OpenAPI 3.1, whose schemas are JSON Schema: `nullable` becomes a type. `isNames`: the keys are names of
 * members, paths or schemas, and none is a keyword.
 */
function modern(value: Json, isNames = false): Json {
  if (Array.isArray(value)) return value.map((each: Json) => modern(each))
  if (!isObject(value)) return value
  const entries = Object.entries(value)
    .filter(([key]) => isNames || !(DROPPED.has(key) || key.startsWith('x-') || key === 'nullable'))
    .map(([key, child]) => [key, modern(child, !isNames && NAMES.has(key))] as const)
  const schema: JsonObject = Object.fromEntries(entries)
  if (isNames || value['nullable'] !== true) return schema
  const { type, enum: options, ...rest } = schema
  if (typeof type !== 'string') return { anyOf: [schema, { type: 'null' }] }
  return {
    ...rest,
    type: [type, 'null'],
    ...(Array.isArray(options) && { enum: [...options.filter((each) => each !== null), null] }),
  }
}

const NAMES = new Set(['properties', 'schemas', 'parameters', 'responses', 'headers', 'paths'])

const at = (document: Json, path: readonly string[]) =>
  path.reduce<Json | undefined>((node, key) => (isObject(node) ? node[key] : undefined), document)

/** The components that these paths lead to. */
function reachable(document: Json, paths: Json): JsonObject {
  const components: Record<string, Record<string, Json>> = {}
  const open = [...references(paths)]
  for (let reference = open.pop(); reference !== undefined; reference = open.pop()) {
    const [, , kind = '', name = ''] = reference.split('/')
    if (kind === 'examples' || components[kind]?.[name] !== undefined) continue
    const found = at(document, ['components', kind, name])
    if (found === undefined) throw new Error(`${reference} leads nowhere`)
    const trimmed = modern(found)
    components[kind] = { ...components[kind], [name]: trimmed }
    open.push(...references(trimmed))
  }
  return components
}

function trim(document: Json): JsonObject {
  const paths: Record<string, Record<string, Json>> = {}
  const described = at(document, ['paths'])
  for (const [path, methods] of Object.entries(isObject(described) ? described : {})) {
    for (const [method, operation] of Object.entries(isObject(methods) ? methods : {})) {
      if (!isObject(operation)) continue
      if (!OPERATIONS.some((id) => id === operation['operationId'])) continue
      paths[path] = { ...paths[path], [method]: modern(operation) }
    }
  }
  const info = at(document, ['info'])
  return {
    openapi: '3.1.0',
    info: isObject(info) ? { title: info['title'] ?? '', version: info['version'] ?? '' } : {},
    paths,
    components: reachable(document, paths),
  }
}

const [source] = process.argv.slice(2)
if (source === undefined) throw new Error('name the folder of the descriptions')
for (const flavour of FLAVOURS) {
  const document = (await Bun.file(join(source, `${flavour}.json`)).json()) as Json
  const text = JSON.stringify(trim(document))
  await Bun.write(join(TARGET, `${flavour}.json`), text)
  console.log(`${flavour}: ${text.length} bytes`)
}
await Bun.write(join(TARGET, 'LICENSE'), Bun.file(join(source, '../LICENSE')))
