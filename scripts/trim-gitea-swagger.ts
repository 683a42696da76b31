/**
 * Cuts Gitea's Swagger description down to the operations of the fake in `tests/peers/gitea`. Name a checkout of Gitea's
 * source at the wanted tag:
 *
 *     bun scripts/trim-gitea-swagger.ts /elsewhere/gitea
 */
import { join } from 'node:path'
import { OPERATIONS } from '#tests/peers/gitea/operations.ts'
import { isObject, type Json, type JsonObject, references } from './described-json.ts'

const TARGET = 'tests/peers/gitea/swagger'
/** Prose, samples and extensions, which no check reads. */
const DROPPED = /^(x-.*|description|summary|tags|produces|consumes|example|title|headers)$/
/** The keys of these are names, and none is a keyword. */
const NAMES = new Set(['properties', 'definitions', 'responses', 'paths'])

function withoutProse(value: Json, isNames = false): Json {
  if (Array.isArray(value)) return value.map((each: Json) => withoutProse(each))
  if (!isObject(value)) return value
  const entries = Object.entries(value)
    .filter(([key]) => isNames || !DROPPED.test(key))
    .map(([key, child]) => [key, withoutProse(child, !isNames && NAMES.has(key))] as const)
  return Object.fromEntries(entries)
}

const member = (value: Json | undefined, key: string) => (isObject(value) ? value[key] : undefined)

const entriesOf = (value: Json | undefined) => (isObject(value) ? Object.entries(value) : [])

/** The definitions and responses that these paths lead to. */
function reachable(document: JsonObject, paths: Json) {
  const found: Record<string, Record<string, Json>> = { definitions: {}, responses: {} }
  const open = [...references(paths)]
  for (let reference = open.pop(); reference !== undefined; reference = open.pop()) {
    const [, kind = '', name = ''] = reference.split('/')
    if (found[kind]?.[name] !== undefined) continue
    const target = member(document[kind], name)
    if (target === undefined) throw new Error(`${reference} leads nowhere`)
    const trimmed = withoutProse(target)
    found[kind] = { ...found[kind], [name]: trimmed }
    open.push(...references(trimmed))
  }
  return found
}

function trim(document: JsonObject): JsonObject {
  const paths: Record<string, Record<string, Json>> = {}
  const missing = new Set<string>(OPERATIONS)
  for (const [path, methods] of entriesOf(document['paths'])) {
    for (const [method, operation] of entriesOf(methods)) {
      const id = member(operation, 'operationId')
      if (typeof id !== 'string' || !missing.delete(id)) continue
      paths[path] = { ...paths[path], [method]: withoutProse(operation) }
    }
  }
  if (missing.size > 0) throw new Error(`not described: ${[...missing].join(', ')}`)
  return { swagger: '2.0', basePath: '/api/v1', paths, ...reachable(document, paths) }
}

const [source] = process.argv.slice(2)
if (source === undefined) throw new Error('name a checkout of Gitea')
const template = await Bun.file(join(source, 'templates/swagger/v1_json.tmpl')).text()
const document = JSON.parse(template.replaceAll(/\{\{[^}]*\}\}/g, '')) as JsonObject
const text = JSON.stringify(trim(document))
await Bun.write(join(TARGET, 'v1.json'), text)
await Bun.write(join(TARGET, 'LICENSE'), Bun.file(join(source, 'LICENSE')))
console.log(`${text.length} bytes`)
