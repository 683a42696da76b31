/**
 * Writes `src/openapi.gen.json`, the routes' own descriptions as one OpenAPI 3.1 document, and `src/console/api/schema.gen.ts`,
 * the types that the console has of it.
 */
import { toOpenAPISchema } from '@elysiajs/openapi/openapi'
import { Elysia } from 'elysia'
import openApiTypes, { astToString } from 'openapi-typescript'
import type { Deps } from '#src/deps.ts'
import { settings } from '#src/config/table.ts'
import { readSettings } from '#src/lib/settings/setting.ts'
import { SCOPES } from '#src/lib/domain/access/grants/scope.ts'
import { withPipeline } from '#src/lib/presenters/openapi.ts'
import { problemTitles } from '#src/lib/http/problem.ts'
import { exampleProblemDetails, Problem } from '#src/lib/http/problem-schema.ts'
import { routes } from '#src/routes.gen.ts'
import { VERSION } from '#src/version.ts'

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

const INTRODUCTION = `The backend of an internal developer portal.

Every request needs the session cookie \`portal_session\`; browsers send it along once you have
[signed in](/api/v1/auth/login?return_to=%2Fdocs), so that "Try it out" works on this page. Errors are problem details (RFC 9457), and their \`code\` is part of the contract.

Every answer has an \`X-Request-Id\`: yours, if it has at most 64 letters, digits, dots, dashes and underscores, or a new one.

A request that is not valid HTTP does not reach the service: 400 for a malformed request, 431 for headers that are too large and 505 for another
version of HTTP come from the server itself, without a body, without \`X-Request-Id\`, and close the connection.

Bodies are sent as they are: one with a \`Content-Encoding\` is refused with 415.`

const FILE = 'src/openapi.gen.json'
const TYPES_FILE = 'src/console/api/schema.gen.ts'

/** An empty object for every dependency: routes are built for their descriptions and never called. */
const NO_DEPS = new Proxy({}, { get: () => ({}) }) as Deps

export function openApiDocument(): string {
  const described = toOpenAPISchema(
    new Elysia().use(routes(NO_DEPS)),
    { staticFile: false },
    undefined,
    { typebox: (schema: unknown) => schema },
    '3.1.0',
  )
  const schemas: Record<string, Json> = {}
  const paths = withAllParameters(withRest(plain(described.paths, schemas)))
  const problem = plain(Problem, schemas)
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Portico',
      version: VERSION,
      description: INTRODUCTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [
      {
        name: 'Catalog',
        description: 'The entities of the gitops repository: components, systems, teams and others',
      },
      { name: 'Scaffold', description: 'New projects from templates' },
      { name: 'Audit', description: 'The record of decisions and actions' },
      {
        name: 'Promotion',
        description: 'Promotions, releases and deprecations of applications, by pull request',
      },
      { name: 'Clusters', description: 'Pods and deployments in clusters, with your own rights' },
      { name: 'Git', description: 'The embedded git host' },
      { name: 'CLI', description: 'Downloads of the command line client' },
      { name: 'Session', description: 'The session of the signed-in person' },
      { name: 'Grants', description: 'What people allow programs to do for them (OAuth 2.1)' },
      { name: 'Events', description: 'Everything that a page watches, as one stream' },
      { name: 'Webhooks', description: 'Calls from other systems' },
      { name: 'Service', description: 'Health probes, and this documentation' },
    ],
    paths,
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: 'portal_session' },
        grant: {
          type: 'oauth2',
          description:
            'Access tokens of programs that act for a person, in the `Authorization` header',
          flows: {
            authorizationCode: {
              authorizationUrl: '/oauth/authorize',
              tokenUrl: '/oauth/token',
              refreshUrl: '/oauth/token',
              scopes: SCOPES,
            },
          },
        },
        webhookToken: { type: 'http', scheme: 'bearer', description: '`WEBHOOK_TOKEN`' },
      },
      schemas,
      responses: {
        ...problemResponses(JSON.stringify(paths), problem),
        HeadersTooLarge: {
          description:
            'The address and the headers have more than 16 KB together, or there are more than about 200 headers; without a body',
        },
      },
    },
  }
  return withPipeline(JSON.stringify(document), defaultPipeline())
}

function defaultPipeline() {
  const { ENVIRONMENTS } = settings
  const read = readSettings({ ENVIRONMENTS }, { environment: {}, readFile: String })
  if (!read.ok) throw new Error('the default of ENVIRONMENTS is a mistake')
  return read.value.ENVIRONMENTS
}

/** The rest of a path is a parameter like any other: clients may encode its slashes. */
const withRest = (paths: Json): Json =>
  Object.fromEntries(
    Object.entries(paths as JsonObject).map(([path, methods]) =>
      path.endsWith('/*')
        ? [path.replace(/\*$/, '{path}'), mapMembers(methods, restNamed)]
        : [path, methods],
    ),
  )

const restNamed = (operation: Json): Json => {
  const { parameters = [], ...rest } = operation as JsonObject
  const named = (parameters as JsonObject[]).map((each) =>
    each['name'] === '*' ? { ...each, name: 'path' } : each,
  )
  return { ...rest, parameters: named }
}

/** Elysia describes the path parameters, `lib/http/operation.ts` the others. */
function withAllParameters(paths: Json): Json {
  return mapMembers(paths, (methods) =>
    mapMembers(methods, (operation) => {
      const { 'x-parameters': own = [], parameters = [], ...rest } = operation as JsonObject
      const all = [...(parameters as Json[]), ...(own as Json[])]
      return all.length > 0 ? { ...rest, parameters: all } : rest
    }),
  )
}

/** A response for each status that an operation refers to, with its codes and an example of the first. */
function problemResponses(paths: string, schema: Json): JsonObject {
  const references = paths.matchAll(/#\/components\/responses\/((Problem|ProblemPage)(\d+))"/g)
  const named = new Map(
    [...references].map(([, name = '', kind, status]) => [name, { kind, status }]),
  )
  return Object.fromEntries(
    [...named]
      .toSorted(([one], [other]) => one.localeCompare(other))
      .map(([name, { kind, status: text }]) => {
        const status = Number(text)
        const rows = problemTitles.get(status) ?? []
        const codes = [...new Set(rows.map(({ code }) => `\`${code}\``))].toSorted()
        const isPage = kind === 'ProblemPage'
        const description = `${isPage ? 'A page for browsers, problem details for other clients' : 'Problem details'}: ${codes.join(', ')}`
        const [first] = rows
        if (first === undefined) throw new Error(`no problem has the status ${text}`)
        const { loginUrl: _, ...usual } = exampleProblemDetails
        const example =
          status === usual.status
            ? exampleProblemDetails
            : { ...usual, ...first, type: `urn:portico:problem:${first.code}` }
        return [
          name,
          {
            description,
            ...((status === 429 || status === 503) && { headers: retryAfter }),
            content: {
              ...(isPage && { 'text/html': { schema: { type: 'string' } } }),
              'application/problem+json': { schema, example },
            },
          },
        ]
      }),
  )
}

const retryAfter = {
  'Retry-After': {
    description: 'Seconds to wait before another attempt',
    schema: { type: 'integer' },
  },
}

type JsonObject = { [key: string]: Json }

const mapMembers = (value: Json, map: (member: Json) => Json): Json =>
  Object.fromEntries(Object.entries(value as JsonObject).map(([key, member]) => [key, map(member)]))

/** Plain JSON, with every named schema moved to the components. */
function plain(value: unknown, schemas: Record<string, Json>): Json {
  if (Array.isArray(value)) return value.map((item) => plain(item, schemas))
  if (typeof value !== 'object' || value === null) return value as Json
  const { $id, ...members } = value as Record<string, unknown>
  const copy: Record<string, Json> = {}
  for (const [key, member] of Object.entries(members)) {
    if (member !== undefined) copy[key] = plain(member, schemas)
  }
  const schema = [withoutEmptyDefault, enumerated, nullable, exclusive, dictionary].reduce(
    (revised, revise) => revise(revised),
    copy,
  )
  if (typeof $id !== 'string') return schema
  if (!Bun.deepEquals(schemas[$id] ?? schema, schema)) throw new Error(`two schemas are ${$id}`)
  schemas[$id] = schema
  return reference($id)
}

const reference = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` })

// Generators of clients take some of what JSON Schema allows for something else. Each of the next functions replaces one such
// form by another with the same meaning.

/** Go has no such constant. A list that is left out is empty. */
function withoutEmptyDefault(schema: JsonObject): JsonObject {
  const { default: value, ...rest } = schema
  return Array.isArray(value) && value.length === 0 ? rest : schema
}

/** A choice of texts as `enum` with a type: `anyOf` of constants becomes that many types. */
function enumerated(schema: JsonObject): JsonObject {
  const { anyOf, enum: values, ...rest } = schema
  if (Array.isArray(anyOf) && anyOf.every(isConstant)) {
    return { type: 'string', enum: anyOf.map((member) => member.const), ...rest }
  }
  const isText = Array.isArray(values) && values.every((value) => typeof value === 'string')
  return isText ? { type: 'string', enum: values, ...rest } : schema
}

/** A value or `null` as one schema with two types. A reference stays a choice of two schemas. */
function nullable(schema: JsonObject): JsonObject {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || !isNull(anyOf[1])) return schema
  const { type, enum: values, ...other } = anyOf[0] as JsonObject
  if (typeof type !== 'string') return schema
  return {
    type: [type, 'null'],
    ...(Array.isArray(values) && { enum: [...values, null] }),
    ...other,
    ...rest,
  }
}

/** Other choices as `oneOf`: TypeScript's generator makes one object with the members of all from `anyOf`. */
function exclusive(schema: JsonObject): JsonObject {
  const { anyOf, ...rest } = schema
  return anyOf === undefined ? schema : { oneOf: anyOf, ...rest }
}

/** Any name of a member as `additionalProperties`: generators ignore `patternProperties`. */
function dictionary(schema: JsonObject): JsonObject {
  const { patternProperties, additionalProperties = false, ...rest } = schema
  if (patternProperties === undefined) return schema
  const [[pattern, member] = [], ...others] = Object.entries(patternProperties as JsonObject)
  if (
    member === undefined ||
    others.length > 0 ||
    additionalProperties !== false ||
    pattern === undefined
  )
    return schema
  return {
    ...rest,
    ...(pattern !== ANY_NAME && { propertyNames: { pattern } }),
    additionalProperties: member,
  }
}

/** Of `Type.Record(Type.String(), …)`. */
const ANY_NAME = '^.*$'

const isNull = (schema: Json | undefined): boolean =>
  typeof schema === 'object' && schema !== null && 'type' in schema && schema['type'] === 'null'

const isConstant = (schema: Json): schema is { const: string } =>
  typeof schema === 'object' &&
  schema !== null &&
  'const' in schema &&
  typeof schema['const'] === 'string'

/** Types of the operations and schemas of a document. */
export async function consoleTypes(document: string): Promise<string> {
  const types = astToString(await openApiTypes(document))
  return `// Generated by \`bun run openapi\` from src/openapi.gen.json. Do not edit.\n${types}`
}

if (import.meta.main) {
  const document = openApiDocument()
  await Bun.write(FILE, document)
  await Bun.write(TYPES_FILE, await consoleTypes(document))
}
