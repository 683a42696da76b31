import { type Static, type TString, Type } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { isObject } from '../../text/json.ts'
import { Label } from '../../names.ts'
import { err, ok, type Result } from '../../result.ts'
import { readBody } from '../../schema/body.ts'
import type { FieldError } from '../../schema/field-error.ts'
import type { Rule } from '../../schema/rules.ts'
import { named } from '../../schema/named.ts'
import { Ruled } from '../../schema/ruled.ts'
import { OneLine } from '../../schema/one-line.ts'
import { lazily } from '../../concurrency/lazily.ts'
import type { Pipeline } from './pipeline.ts'
import {
  Environment,
  pipelineSchemas,
  StageLifecycle,
  TargetLifecycle,
} from './pipeline-schemas.ts'
import { parseQuantity } from './quantity.ts'

const REPLICAS_MAX = 100
const SECRETS_MAX = 64
const SECRET_BYTES_MAX = 32 * 1024
const SECRETS_BYTES_MAX = 256 * 1024
const MESSAGE_MAX = 500
const IMAGE_TAG = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/
const IMAGE_DIGEST = /^sha256:[0-9a-f]{64}$/
const SECRET_KEY = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/
/** RFC 1123. A last label that is a number would make the host an IP address, which no ingress takes. */
const HOST =
  /^(?=.{1,253}$)(?:[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?\.)+(?!(?:[0-9]+|0x[0-9a-f]*)$)[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/

const Quantity = Type.Optional(
  Type.String({ maxLength: 32, description: 'Kubernetes quantity, `250m` or `1Gi`' }),
)
const Quantities = Type.Optional(Type.Object({ cpu: Quantity, memory: Quantity }))
const Line = (description: string) =>
  Type.Optional(OneLine({ maxLength: MESSAGE_MAX, description }))

/** An image of the history is sent back as it is: `null` for what it does not have. */
const OrNull = (text: TString) =>
  Type.Optional(Type.Unsafe<string | null>({ ...text, type: ['string', 'null'] }))

const requestFor = (target: typeof TargetLifecycle, environment: typeof Environment) =>
  Type.Object({
    targetLifecycle: target,
    overlayConfig: Type.Optional(
      Type.Object({
        replicas: Type.Optional(Type.Integer({ minimum: 0, maximum: REPLICAS_MAX })),
        resources: Type.Optional(Type.Object({ requests: Quantities, limits: Quantities })),
        ingress: Type.Optional(
          Type.Object({ host: Type.Optional(Ruled('host_name', HOST, { maxLength: 253 })) }),
        ),
        secrets: Type.Optional(
          Type.Record(Type.String(), Type.String(), {
            description: 'Written to the secret store of the environment, never to git',
            maxProperties: SECRETS_MAX,
            propertyNames: Ruled('secret_key', SECRET_KEY),
          }),
        ),
        overwriteSecrets: Type.Optional(
          Type.Boolean({
            description:
              'Replaces existing keys; without it a request with an existing key is refused',
          }),
        ),
        database: Type.Optional(
          Type.Object({
            tier: Type.Enum(['shared', 'dedicated']),
            name: Type.Optional(named(Label)),
          }),
        ),
        image: Type.Optional(
          Type.Object(
            {
              tag: OrNull(Ruled('image_tag', IMAGE_TAG)),
              digest: OrNull(Ruled('image_digest', IMAGE_DIGEST)),
              from: Type.Optional(environment),
              name: OrNull(Type.String({ description: 'Ignored: the base has the name' })),
            },
            {
              description:
                'Tag and digest are one value: a tag without a digest removes the digest that is there. `from` takes the image that runs in another environment, and stands alone.',
            },
          ),
        ),
      }),
    ),
    deprecation: Type.Optional(
      Type.Object({
        reason: Line('Reason of the deprecation'),
        replacedBy: Line('Replacement of the application'),
        sunsetAt: Type.Optional(
          Type.String({ format: 'date', description: 'Date of the end of support' }),
        ),
      }),
    ),
    message: Line('Message for the reviewer'),
  })

/** The body of a promotion, a release or a deprecation. */
export const PromotionRequest = requestFor(TargetLifecycle, Environment)
export type PromotionRequest = Static<typeof PromotionRequest>

export const ConfirmationRequest = Type.Object({
  targetLifecycle: Type.Optional(StageLifecycle),
})

export type ConfirmationRequest = Static<typeof ConfirmationRequest>

/** Parsers of request bodies. They report every mistake at once and never repeat submitted text. */
export function createRequestParsers(pipeline: Pipeline) {
  const schemas = pipelineSchemas(pipeline)
  const promotion = lazily(() =>
    Compile(requestFor(schemas.TargetLifecycle, schemas.EnvironmentName)),
  )
  const confirmation = lazily(() =>
    Compile(Type.Object({ targetLifecycle: Type.Optional(schemas.StageLifecycle) })),
  )
  return {
    parsePromotion: (body: unknown) => parsePromotion(promotion(), body),

    parseConfirmation(body: unknown): Result<ConfirmationRequest, readonly FieldError[]> {
      const schema = confirmation()
      const { value, faults } = readBody(schema, body)
      return faults.length === 0 && schema.Check(value) ? ok(value) : err(faults)
    },
  }
}

function parsePromotion(
  schema: Validator<{}, typeof PromotionRequest>,
  body: unknown,
): Result<PromotionRequest, readonly FieldError[]> {
  // Before `Clean`, which drops keys with line breaks.
  const ofSecrets = secretFaults(memberOf(memberOf(body, 'overlayConfig'), 'secrets'))
  const { value, faults: ofSchema } = readBody(schema, body)
  const overlayConfig = memberOf(value, 'overlayConfig')
  const known = withoutKeys(ofSchema)
  const isNew = ({ path }: FieldError) => known.every((fault) => fault.path !== path)
  const isRepeated = ({ path, rule }: FieldError) =>
    ofSecrets.some((fault) => fault.path === path && fault.rule === rule)
  const faults = [
    ...known.filter((fault) => !isRepeated(fault)),
    ...ofSecrets,
    ...quantityFaults(memberOf(overlayConfig, 'resources')).filter(isNew),
    ...imageFaults(memberOf(overlayConfig, 'image')).filter(isNew),
  ]
  return faults.length === 0 && schema.Check(value) ? ok(withPlainZero(value)) : err(faults)
}

/** JSON has a negative zero, which a file would show as `-0.0`. */
const withPlainZero = (request: PromotionRequest): PromotionRequest =>
  request.overlayConfig?.replicas === 0
    ? { ...request, overlayConfig: { ...request.overlayConfig, replicas: 0 } }
    : request

/** Members for the checks beyond the schema; a member of the wrong type is skipped. */
const memberOf = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
const textsOf = (value: unknown): readonly (readonly [string, string])[] =>
  isObject(value)
    ? Object.entries(value).flatMap(([name, text]) =>
        typeof text === 'string' ? [[name, text] as const] : [],
      )
    : []

/** A key may be a secret value in the wrong place, so faults do not repeat it. */
function withoutKeys(faults: readonly FieldError[]): readonly FieldError[] {
  const isOfSecret = ({ path }: FieldError) => path.startsWith('/overlayConfig/secrets/')
  const rules = new Map(
    faults.filter(isOfSecret).map(({ rule, message }) => [rule, `every value ${message}`]),
  )
  return [
    ...faults.filter((fault) => !isOfSecret(fault)),
    ...[...rules].map(([rule, message]) => ({ path: '/overlayConfig/secrets', rule, message })),
  ]
}

function secretFaults(secrets: unknown): readonly FieldError[] {
  const entries = textsOf(secrets)
  const sizes = entries.map(([, value]) => Buffer.byteLength(value))
  const path = '/overlayConfig/secrets'
  const faults: FieldError[] = []
  const refuse = (rule: Rule, message: string) => faults.push({ path, rule, message })
  if (entries.length > SECRETS_MAX) refuse('max_keys', `must have at most ${SECRETS_MAX} keys`)
  const keys = isObject(secrets) ? Object.keys(secrets) : []
  if (keys.some((key) => !SECRET_KEY.test(key)))
    refuse('secret_key', 'keys have letters, digits and underscores, such as STRIPE_KEY')
  if (sizes.some((size) => size > SECRET_BYTES_MAX))
    refuse('max_bytes', `every value must have at most ${SECRET_BYTES_MAX} bytes`)
  if (sizes.reduce((sum, size) => sum + size, 0) > SECRETS_BYTES_MAX) {
    refuse('max_bytes', `must have at most ${SECRETS_BYTES_MAX} bytes together`)
  }
  return [
    ...faults,
    // A store that keeps JSON would change them. Keys that are names are repeated: `secret_exists` names them too.
    ...entries
      .filter(([key, value]) => SECRET_KEY.test(key) && !value.isWellFormed())
      .map(([key]) => ({
        path: `${path}/${key}`,
        rule: 'unicode' as const,
        message: 'must be well-formed Unicode',
      })),
  ]
}

/** The image of another environment is taken whole. */
const imageFaults = (image: unknown): readonly FieldError[] =>
  typeof memberOf(image, 'from') === 'string' &&
  ['tag', 'digest'].some((name) => typeof memberOf(image, name) === 'string')
    ? [
        {
          path: '/overlayConfig/image/from',
          rule: 'conflict',
          message: 'must be given without tag and digest, such as {"from": "dev"}',
        },
      ]
    : []

const quantityFaults = (resources: unknown): readonly FieldError[] =>
  ['requests', 'limits'].flatMap((part) =>
    textsOf(memberOf(resources, part))
      .filter(([, text]) => parseQuantity(text) === undefined)
      .map(([name]) => ({
        path: `/overlayConfig/resources/${part}/${name}`,
        rule: 'quantity',
        message: 'must be a Kubernetes quantity, such as 250m or 1Gi',
      })),
  )
