import type { BodyOf } from '../../api/call.ts'
import type { components } from '../../api/schema.gen.ts'
import { fieldsOf, parametersOf } from '../../ui/schema-form.ts'

export type Template = components['schemas']['ScaffoldTemplate']
type ProjectRequest = BodyOf<'post', '/api/v1/scaffold'>
export type Feature = keyof Template['features']

/** Every project may have these; a template says which of them it supports. */
export const FEATURES: readonly {
  readonly name: Feature
  readonly label: string
  readonly help: string
}[] = [
  { name: 'database', label: 'Database', help: 'Of its own' },
  { name: 'externalSecrets', label: 'Secrets', help: 'From the secret store' },
  { name: 'ingress', label: 'Ingress', help: 'Reachable by a host name' },
]

/** The texts of the form as they are typed. */
export interface Draft {
  readonly appName: string
  readonly description: string
  readonly team: string
  /** `null`: not typed yet, so that it follows the team. */
  readonly namespace: string | null
  readonly features: Readonly<Record<Feature, boolean>>
  readonly parameters: Readonly<Record<string, string>>
}

export const newDraft = ({ features, parameters }: Template, team: string): Draft => ({
  appName: '',
  description: '',
  team,
  namespace: null,
  features: {
    database: isOnAtFirst(features.database),
    externalSecrets: isOnAtFirst(features.externalSecrets),
    ingress: isOnAtFirst(features.ingress),
  },
  parameters: Object.fromEntries(
    (parameters === undefined ? [] : fieldsOf(parameters)).map(({ name, initial }) => [
      name,
      initial,
    ]),
  ),
})

const isOnAtFirst = (feature: Template['features'][Feature]) => feature.supported && feature.default

/** The request of the form. `suggested` is the namespace of the team, until another one is typed. */
export function requestOf(template: Template, draft: Draft, suggested: string): ProjectRequest {
  const { appName, description, team, namespace, features, parameters } = draft
  return {
    templateId: template.id,
    appName: appName.trim(),
    team: team.trim(),
    namespace: (namespace ?? suggested).trim(),
    ...(description.trim() !== '' && { description: description.trim() }),
    features,
    ...(template.parameters !== undefined && {
      parameters: parametersOf(template.parameters, parameters),
    }),
  }
}

/** Places of the form's fields in the request, where the server's mistakes belong. */
export const fieldPathsOf = ({ parameters }: Template): readonly string[] => [
  '/appName',
  '/description',
  '/team',
  '/namespace',
  ...FEATURES.map(({ name }) => `/features/${name}`),
  ...(parameters === undefined ? [] : fieldsOf(parameters).map(({ path }) => path)),
]
