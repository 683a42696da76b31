import type { BodyOf } from '../../../api/call.ts'
import { AT, type FormPlan, KEPT, OWN, type Path, TAG, type Texts } from './form-plan.ts'

export type ProposalBody = BodyOf<'post', '/api/v1/catalog/entities/{kind}/{name}/promotion'>
type OverlayConfig = NonNullable<ProposalBody['overlayConfig']>

export interface SecretRow {
  /** Tells the rows apart; part of no request. */
  readonly id: number
  readonly key: string
  readonly value: string
}

export interface FormState {
  readonly texts: Texts
  readonly secrets: readonly SecretRow[]
  /** Replaces secrets that are there. */
  readonly overwrites: boolean
}

export const emptyForm = ({ initial }: FormPlan): FormState => ({
  texts: initial,
  secrets: [],
  overwrites: false,
})

const isFilled = ({ key, value }: SecretRow): boolean => key !== '' || value !== ''

export const isChanged = ({ initial }: FormPlan, { texts, secrets }: FormState): boolean =>
  secrets.some(isFilled) || Object.values(AT).some((path) => texts[path] !== initial[path])

/**
 * The body of the request. A preview has the names of the secrets and not their values: they leave the page once, with the act
 * itself. It lacks the message too, which is in no file.
 */
export function requestOf(
  plan: FormPlan,
  form: FormState,
  { isPreview }: { readonly isPreview: boolean },
): ProposalBody {
  const overlayConfig = { ...configOf(plan, form.texts), ...secretsOf(form, isPreview) }
  const message = form.texts[AT.message].trim()
  return {
    targetLifecycle: plan.environment.lifecycle,
    ...(Object.keys(overlayConfig).length > 0 && { overlayConfig }),
    ...(message !== '' && !isPreview && { message }),
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
