import type { BodyOf } from '../../api/call.ts'
import type { components } from '../../api/schema.gen.ts'
import type { FieldSpec } from '../../ui/field-spec.ts'
import { fieldsOf, parametersOf } from '../../ui/schema-form.ts'

export type Template = components['schemas']['ScaffoldTemplate']
type ProjectRequest = BodyOf<'post', '/api/v1/scaffold'>

/** Places of the values in the request. A namespace that nobody has typed has no text: it follows the team. */
export const AT = {
  name: '/appName',
  description: '/description',
  team: '/team',
  namespace: '/namespace',
} as const

/** Every project may have these; a template says which of them it supports. */
const FEATURES = [
  { name: 'database', label: 'Database', help: 'Of its own' },
  { name: 'externalSecrets', label: 'Secrets', help: 'From the secret store' },
  { name: 'ingress', label: 'Ingress', help: 'Reachable by a host name' },
] as const

/** The texts of the form as they are typed, by the places of their values. */
export type Draft = Readonly<Record<string, string>>

export const newDraft = (team: string): Draft => ({ [AT.team]: team })

export const featureFields = ({ features }: Template): readonly FieldSpec[] =>
  FEATURES.map(({ name, label, help }) => ({
    path: `/features/${name}`,
    label,
    control: 'checkbox',
    help: features[name].supported ? help : 'Not with this template',
    isDisabled: !features[name].supported,
    initial: String(features[name].supported && features[name].default),
  }))

/** The parameters of the template, each by the control that its schema asks for. */
export const parameterFields = ({ parameters }: Template): readonly FieldSpec[] =>
  parameters === undefined ? [] : fieldsOf(parameters)

/** The request of the form. `suggested` is the namespace of the team, until another one is typed. */
export function requestOf(template: Template, draft: Draft, suggested: string): ProjectRequest {
  const description = draft[AT.description]?.trim() ?? ''
  const isOn = new Map(
    featureFields(template).map(({ path, initial }) => [path, (draft[path] ?? initial) === 'true']),
  )
  return {
    templateId: template.id,
    appName: draft[AT.name]?.trim() ?? '',
    team: draft[AT.team]?.trim() ?? '',
    namespace: (draft[AT.namespace] ?? suggested).trim(),
    ...(description !== '' && { description }),
    features: {
      database: isOn.get('/features/database') === true,
      externalSecrets: isOn.get('/features/externalSecrets') === true,
      ingress: isOn.get('/features/ingress') === true,
    },
    ...(template.parameters !== undefined && {
      parameters: parametersOf(template.parameters, textsBelow('/parameters/', draft)),
    }),
  }
}

const textsBelow = (folder: string, draft: Draft): Draft =>
  Object.fromEntries(
    Object.entries(draft)
      .filter(([path]) => path.startsWith(folder))
      .map(([path, text]) => [path.slice(folder.length), text]),
  )

/** Places of the form's fields in the request, where the server's mistakes belong. */
export const fieldPathsOf = (template: Template): readonly string[] => [
  ...Object.values(AT),
  ...[...featureFields(template), ...parameterFields(template)].map(({ path }) => path),
]

/**
 * Keys of requests: the same request has the same key, so that sending it again after a lost answer joins the run that it
 * began, and a changed one has another.
 */
export function createKeys(random: () => string): (request: object) => string {
  let last = { text: '', key: '' }
  return (request) => {
    const text = JSON.stringify(request)
    if (text !== last.text) last = { text, key: random() }
    return last.key
  }
}

/** `crypto.randomUUID` exists in secure contexts alone. */
export const randomKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-')

/** A namespace of a cluster. The names of environments are a setting of the installation. */
export interface ClusterNamespace {
  readonly name: string
  readonly environment: string | null
  readonly team: string | null
}

/** Namespaces of a team, those of earlier environments first. The first one is suggested. */
export function namespacesOf(
  team: string,
  namespaces: readonly ClusterNamespace[],
  environments: readonly string[],
): readonly string[] {
  const rank = ({ environment }: ClusterNamespace): number => {
    const at = environment === null ? -1 : environments.indexOf(environment)
    return at < 0 ? environments.length : at
  }
  const own = namespaces
    .filter((each) => each.team !== null && each.team === team)
    .toSorted((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name))
  return [...new Set(own.map(({ name }) => name))]
}

type Person = Pick<components['schemas']['Session'], 'teams' | 'platform' | 'groupsAdvice'>

/** Why a person can start no project at all, and whom to ask; `null` when nothing is known against it. */
export const refusalFor = ({ teams, platform, groupsAdvice }: Person): string | null =>
  platform || teams.length > 0
    ? null
    : (groupsAdvice ?? 'You are in no team. Ask the platform team to add you to one.')
