import { useResource } from '../../api/resource.ts'
import { session } from '../../api/session.ts'
import { labelOf } from '../../pages/entity/acts/acts-of.ts'
import { docHref } from '../../pages/entity/doc-links.ts'
import { isPromoted } from '../../pages/entity/entity.ts'
import { pathOf, PATHS } from '../../paths.ts'
import { page } from '../../router.ts'
import { isBroken, verdictWords } from '../../ui/health.ts'
import { shortName } from '../../ui/names.ts'
import { kindIcon, wordOf } from '../../ui/words.ts'
import { sections } from '../shown-sections.ts'
import { ACT_ICONS, actChoice, actIn, type Choice, type Command } from './choices.ts'

const ENTITIES_MAX = 8
const FIELDS = ['kind', 'metadata.name', 'metadata.title', 'spec.owner']

/** Entities of the server for a text, or acts of them; those of the former text while the answer is on its way. */
export function useEntities(text: string) {
  const act = actIn(text)
  const q = (act?.text ?? text).trim()
  const { value = [], isPending } = useResource(q === '' ? null : '/api/v1/catalog/entities', {
    query: { q, limit: ENTITIES_MAX, fields: FIELDS },
  })
  const entities = value
    .filter(({ kind }) => act === undefined || isPromoted(kind))
    .map(({ kind, metadata, spec }): Choice => {
      const label = metadata.title ?? metadata.name
      const params = { kind: kind.toLowerCase(), name: metadata.name }
      return {
        label: act === undefined ? label : `${act.label} ${label}…`,
        hint: [kind, shortName(spec?.owner ?? '')].filter(Boolean).join(' · '),
        icon: act === undefined ? kindIcon(kind) : (ACT_ICONS[act.do] ?? 'up'),
        act: { kind: 'go', href: pathOf('entity', params, { do: act?.do }) },
      }
    })
  return { entities, isCurrent: !isPending }
}

/** The person's own services in their environments, with how they fare: `OOMKilled` finds them too. */
function usePlaces(): readonly Choice[] {
  const person = session.value
  const { value = [] } = useResource(person === undefined ? null : '/api/v1/health', {
    query: { mine: person?.platform === true ? undefined : true },
  })
  return value
    .toSorted((one, other) => Number(isBroken(other)) - Number(isBroken(one)))
    .map((row) => {
      const { entity, environment, cluster, namespace, health } = row
      return {
        label: `Pods of ${entity.title ?? entity.name} in ${environment}`,
        hint: [verdictWords(row) ?? wordOf(health).label, `${cluster} / ${namespace}`].join(' · '),
        icon: isBroken(row) ? wordOf(health).icon : 'server',
        act: { kind: 'go', href: pathOf('namespace', { cluster, namespace }, { q: entity.name }) },
      }
    })
}

/** Everything but entities: what can be done here comes first. */
export function useKnown(text: string): readonly Choice[] {
  const pages = sections.value.map(({ label, icon, href }) => place(label, icon, href))
  const own = [...useActs(), ...useDocs(text)]
  return [...own, ...pages, ACCOUNT, ...COMMANDS, ...useTemplates(), ...usePlaces()]
}

const place = (label: string, icon: Choice['icon'], href: string, hint = 'Page'): Choice => ({
  label,
  hint,
  icon,
  act: { kind: 'go', href },
})

const ACCOUNT = place('Your account', 'user', PATHS.sessions, 'Groups and sessions')

const command = (label: string, icon: Choice['icon'], name: Command, hint = 'Command'): Choice => ({
  label,
  hint,
  icon,
  act: { kind: 'command', command: name },
})

const COMMANDS = [
  command('Keys', 'key', 'keys', '?'),
  command('Change colours', 'contrast', 'colours'),
  command('Sign out', 'out', 'sign_out'),
]

/** The person may do these with the entity of the page. */
function useActs(): readonly Choice[] {
  const { kind = '', name = '' } = page.value?.parameters ?? {}
  const isEntity = page.value?.page === 'entity'
  const { value } = useResource(
    isEntity ? '/api/v1/catalog/entities/{kind}/{name}/promotion' : null,
    { params: { kind, name } },
  )
  if (value === undefined || !isEntity) return []
  return value.acts
    .filter(({ allowed }) => allowed)
    .map((act) => {
      const query = { do: act.do, environment: act.environment ?? undefined }
      return actChoice(
        { ...act, label: labelOf(act) },
        name,
        pathOf('entity', { kind, name }, query),
      )
    })
}

const DOCS = '/api/v1/catalog/entities/{kind}/{name}/docs'
/** A shorter text is on every page. */
const SEARCHED_MIN = 3

/** Pages of the documentation of the entity of the page, by their titles and by what is in them. */
function useDocs(text: string): readonly Choice[] {
  const { kind, name } = page.value?.parameters ?? {}
  const address = kind === undefined || name === undefined ? null : { kind, name }
  const params = address ?? {}
  const { headers } = useResource(
    address === null ? null : '/api/v1/catalog/entities/{kind}/{name}',
    { params },
  )
  const hasDocs = address !== null && headers?.has('x-repository-url') === true
  const listed = useResource(hasDocs ? DOCS : null, { params })
  const q = text.trim()
  const found = useResource(hasDocs && q.length >= SEARCHED_MIN ? DOCS : null, {
    params,
    query: { q },
  })
  if (address === null) return []
  return [...(listed.value ?? []), ...(found.value ?? [])].map(({ title, path, excerpt }) => ({
    label: title,
    hint: excerpt === undefined || excerpt === title ? `Documentation · ${address.name}` : excerpt,
    icon: 'book',
    act: { kind: 'go', href: docHref(address, path) },
  }))
}

function useTemplates(): readonly Choice[] {
  const { value = [] } = useResource('/api/v1/scaffold/templates')
  return value
    .filter(({ deprecated }) => !deprecated)
    .map(({ id, title }) => ({
      label: `New project from ${title}`,
      hint: 'Template',
      icon: 'plus',
      act: { kind: 'go', href: pathOf('newProject', { template: id }) },
    }))
}
