import type { BodyOf } from '../../../api/call.ts'
import type { Problem } from '../../../api/result.ts'
import { AT, type FormPlan, KEPT, OWN, type Path, TAG, type Texts } from './form-plan.ts'

export type ProposalBody = BodyOf<'post', '/api/v1/catalog/entities/{kind}/{name}/promotion'>
type OverlayConfig = NonNullable<ProposalBody['overlayConfig']>

export interface SecretRow {
  /** Tells the rows apart; part of no request. */
  readonly id: number
  readonly key: string
  readonly value: string
}

export interface Secrets {
  readonly secrets: readonly SecretRow[]
  /** Replaces secrets that are there. */
  readonly overwrites: boolean
}

export interface FormState extends Secrets {
  readonly texts: Texts
}

export const NO_SECRETS: Secrets = { secrets: [], overwrites: false }

export const hasSecrets = ({ secrets }: Secrets): boolean =>
  secrets.some(({ key, value }) => key !== '' || value !== '')

/**
 * The body of the request, without its message. A preview has the names of the secrets and not their values: they leave the page
 * once, with the act itself.
 */
export function requestOf(
  plan: FormPlan,
  form: FormState,
  { isPreview }: { readonly isPreview: boolean },
): ProposalBody {
  const overlayConfig = { ...configOf(plan, form.texts), ...secretsOf(form, isPreview) }
  return {
    targetLifecycle: plan.environment.lifecycle,
    ...(Object.keys(overlayConfig).length > 0 && { overlayConfig }),
  }
}

/** A release of nothing would be refused, so nothing is asked. */
export const hasPreview = ({ kind }: FormPlan, body: ProposalBody): boolean =>
  kind === 'promotion' || body.overlayConfig !== undefined

function configOf(plan: FormPlan, texts: Texts): OverlayConfig {
  const sent = (path: Path): string | undefined => {
    const text = texts[path].trim()
    return text === '' || (!plan.isNew && text === plan.initial[path]) ? undefined : text
  }
  const replicas = sent(AT.replicas)
  const requests = members({ cpu: sent(AT.cpuRequest), memory: sent(AT.memoryRequest) })
  const limits = members({ cpu: sent(AT.cpuLimit), memory: sent(AT.memoryLimit) })
  const resources = members({ requests, limits })
  const ingress = members({ host: sent(AT.host) })
  const database = databaseOf(texts, sent)
  const image = imageOf(plan, texts)
  return {
    ...(image && { image }),
    // JSON has no NaN: the server says that `null` is no whole number.
    ...(replicas !== undefined && { replicas: Number(replicas) }),
    ...(resources && { resources }),
    ...(ingress && { ingress }),
    ...(database && { database }),
  }
}

type Defined<Value> = { [Name in keyof Value]?: Exclude<Value[Name], undefined> }

/** The members that have a value; nothing without any. */
function members<Value extends object>(value: Value): Defined<Value> | undefined {
  const given: Defined<Value> = { ...value }
  for (const name in given) if (given[name] === undefined) delete given[name]
  return Object.keys(given).length === 0 ? undefined : given
}

/** A name without a tier is not a whole database: the tier that is there goes with it. */
function databaseOf(
  texts: Texts,
  sent: (path: Path) => string | undefined,
): OverlayConfig['database'] {
  const name = sent(AT.databaseName)
  const tier = texts[AT.databaseTier]
  if (name === undefined && sent(AT.databaseTier) === undefined) return undefined
  return { tier: tier === 'dedicated' ? tier : 'shared', ...(name !== undefined && { name }) }
}

function imageOf({ others }: FormPlan, texts: Texts): OverlayConfig['image'] {
  const choice = texts[AT.imageFrom]
  if (choice === KEPT) return undefined
  if (choice.startsWith(TAG)) return { tag: choice.slice(TAG.length) }
  const other = others.find(({ name }) => name === choice)
  if (other !== undefined) return { from: other.name }
  const tag = texts[AT.imageTag].trim()
  const digest = texts[AT.imageDigest].trim()
  if (choice !== OWN || (tag === '' && digest === '')) return undefined
  return { ...(tag !== '' && { tag }), ...(digest !== '' && { digest }) }
}

function secretsOf({ secrets, overwrites }: FormState, isPreview: boolean): OverlayConfig {
  const named = secrets.filter(({ key }) => key !== '')
  if (named.length === 0) return {}
  return {
    secrets: Object.fromEntries(named.map(({ key, value }) => [key, isPreview ? '' : value])),
    ...(overwrites && { overwriteSecrets: true }),
  }
}

export const SECRETS = '/overlayConfig/secrets'

/** Mistakes of the rows themselves, by their ids. A request could not tell: it has each name once. */
export function faultyRows(rows: readonly SecretRow[]): ReadonlyMap<number, string> {
  const faults = new Map<number, string>()
  const names = new Set<string>()
  for (const { id, key, value } of rows) {
    if (key === '' && value !== '') faults.set(id, 'must have a name, such as STRIPE_KEY')
    else if (names.has(key)) faults.set(id, 'has the name of another one')
    if (key !== '') names.add(key)
  }
  return faults
}

/** The errors of the rows: their own faults, and what the server says about a name. */
export function secretErrors(
  rows: readonly SecretRow[],
  problem: Problem | undefined,
): ReadonlyMap<number, string> {
  const errors = new Map<number, string>()
  for (const { id, key } of rows) {
    const told = problem?.errors?.find(({ path }) => path === `${SECRETS}/${key}`)
    const isThere = problem?.code === 'secret_exists' && problem.keys?.includes(key) === true
    if (key !== '' && told !== undefined) errors.set(id, told.message)
    else if (key !== '' && isThere) errors.set(id, 'is there already')
  }
  return new Map([...errors, ...faultyRows(rows)])
}
