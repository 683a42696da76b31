import type { AnswerOf } from '../../../api/call.ts'

export type PromotionState = AnswerOf<'get', '/api/v1/catalog/entities/{kind}/{name}/promotion'>
type Session = AnswerOf<'get', '/api/v1/auth/session'>
export type Environment = PromotionState['environments'][number]

export const DOES = ['promote', 'release', 'rollback', 'confirm', 'deprecate'] as const
export type Do = (typeof DOES)[number]

/** Something that can be asked for now, or that is refused beforehand for a reason. */
export interface EntityAct {
  readonly do: Do
  /** Null for a deprecation. */
  readonly environment: string | null
  readonly label: string
  /** Why it is refused, and whom to ask. */
  readonly reason: string | null
}

/** Whether the lifecycle has reached an environment: all of them unless one is next. */
export function hasReached(
  { environments, next }: Pick<PromotionState, 'environments' | 'next'>,
  name: string,
): boolean {
  const names: readonly string[] = environments.map((each) => each.name)
  return next === null || names.indexOf(name) < names.indexOf(next.environment)
}

type Permission = Pick<Environment, 'allowed' | 'requires'>

/** Says who may: `Needs platform-team or payments:Managers. Ask a member of one of them.` */
function refusalOf(
  { allowed, requires }: Permission,
  session?: Pick<Session, 'groupsKnown' | 'groupsAdvice'>,
): string | null {
  if (allowed) return null
  if (session?.groupsKnown === false) {
    return `The sign-in did not tell your groups. ${session.groupsAdvice ?? ''}`.trim()
  }
  const groups = requires.join(' or ')
  return `Needs ${groups}. Ask a member${requires.length > 1 ? ' of one of them' : ''}.`
}

const isDeprecated = ({ lifecycle }: Pick<PromotionState, 'lifecycle'>): boolean =>
  lifecycle?.toLowerCase() === 'deprecated'

/** Reads why the base of an application cannot be written on. */
const brokenBase = ({ promotable, missing }: PromotionState): string | null =>
  promotable ? null : `The application cannot be promoted: ${missing ?? 'its base is unusable'}.`

/** All acts of an entity: by environment in the order of promotion, the deprecation last. */
export function actsOf(state: PromotionState, session?: Session): readonly EntityAct[] {
  return [
    ...(isDeprecated(state) ? [] : state.environments).flatMap((environment) =>
      actsIn(state, environment, session),
    ),
    ...deprecation(state, session),
  ]
}

function actsIn(
  state: PromotionState,
  environment: Environment,
  session: Session | undefined,
): readonly EntityAct[] {
  const { name } = environment
  const refused = refusalOf(environment, session)
  const unwritable = refused ?? brokenBase(state)
  const act = (what: Do, label: string, reason: string | null): EntityAct => ({
    do: what,
    environment: name,
    label,
    reason,
  })
  if (environment.state === 'live') {
    const label = environment.proposed === null ? `Release to ${name}…` : UPDATE
    return [act('release', label, unwritable), act('rollback', 'Roll back…', unwritable)]
  }
  const promote = (label: string) => act('promote', label, unwritable)
  if (hasReached(state, name))
    return [promote(environment.proposed === null ? `Promote to ${name}…` : UPDATE)]
  if (state.next?.environment !== name) return []
  const { available, reason } = state.confirm
  const confirm = act('confirm', `Confirm ${name}`, refused ?? (available ? null : reason))
  switch (environment.state) {
    case 'ready_to_confirm':
      return [confirm]
    case 'pr_open':
      return [promote(UPDATE), confirm]
    case 'none':
    case 'pr_closed':
      return [promote(`Promote to ${name}…`)]
  }
}

const UPDATE = 'Update the pull request…'

function deprecation(state: PromotionState, session: Session | undefined): readonly EntityAct[] {
  if (state.deprecation === null) return []
  const isOpen = state.pullRequests.some(({ targetLifecycle }) => targetLifecycle === 'deprecated')
  const label = isOpen ? 'Update the deprecation…' : 'Deprecate…'
  const reason = refusalOf(state.deprecation, session)
  return [{ do: 'deprecate', environment: null, label, reason }]
}

export type Asked =
  | { readonly kind: 'act'; readonly act: EntityAct }
  | { readonly kind: 'refused'; readonly title: string; readonly why: string }

/** The act that an address names, or why it cannot be done now. */
export function askedAct(
  state: PromotionState,
  asked: { readonly do: string; readonly environment: string | null },
  session?: Session,
): Asked {
  const { name } = state.entity
  const refused = (why: string, title = 'This cannot be done now'): Asked => ({
    kind: 'refused',
    title,
    why,
  })
  if (!isDo(asked.do)) return refused(`“${asked.do}” is none of: ${DOES.join(', ')}.`)
  const possible = actsOf(state, session).filter((act) => act.do === asked.do)
  const act =
    asked.environment === null
      ? possible[0]
      : possible.find(
          ({ environment }) => environment === null || environment === asked.environment,
        )
  if (act !== undefined) {
    return act.reason === null
      ? { kind: 'act', act }
      : refused(act.reason, act.label.replace(/…$/, ''))
  }
  if (isDeprecated(state)) return refused(`${name} is deprecated.`)
  const environment = state.environments.find((each) => each.name === asked.environment)
  if (asked.environment !== null && environment === undefined) {
    const names = state.environments.map((each) => each.name).join(', ')
    return refused(`${name} has no environment “${asked.environment}”. It has: ${names || 'none'}.`)
  }
  return refused(environment === undefined ? NOT_NOW : whyNot(environment, state))
}

const isDo = (text: string): text is Do => DOES.some((each) => each === text)

const NOT_NOW = 'This is not possible now. Look at the environments of the page.'

function whyNot({ name, state }: Environment, { next }: PromotionState): string {
  switch (state) {
    case 'live':
      return `${name} is live. A release changes what runs there.`
    case 'ready_to_confirm':
      return `${name} waits for its confirmation.`
    case 'pr_open':
      return `The pull request to ${name} is not merged yet.`
    case 'none':
    case 'pr_closed':
      return next === null || next.environment === name
        ? `Nothing is in ${name} yet.`
        : `Nothing is in ${name} yet. ${next.environment} comes first.`
  }
}
