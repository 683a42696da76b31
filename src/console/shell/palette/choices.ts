import { ICONS, type IconName } from '../../ui/icons.ts'

export type Command = 'keys' | 'colours' | 'sign_out'

export type ChoiceAct =
  | { readonly kind: 'go'; readonly href: string }
  | { readonly kind: 'command'; readonly command: Command }

export interface Choice {
  readonly label: string
  /** Its kind and owner, at the right end: `Page`, `Component · payments`. */
  readonly hint: string
  readonly icon: IconName
  readonly act: ChoiceAct
}

/** Choices with the same id are the same one. */
export const idOf = ({ act }: Choice): string => (act.kind === 'go' ? act.href : act.command)

/** A longer list is not read: a text finds the rest. */
export const CHOICES_MAX = 30

const fold = (text: string): string =>
  text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().trim()

/** How well a choice fits a text: 0 is best; absent when neither its words occur nor its letters in their order. */
export function rankOf({ label, hint }: Choice, text: string): number | undefined {
  const wanted = fold(text)
  const name = fold(label)
  const whole = `${name} ${fold(hint)}`
  if (!wanted.split(/\s+/).every((word) => whole.includes(word))) {
    const span = spanOf(wanted.replaceAll(/\s+/g, ''), name)
    return span === undefined ? undefined : SUBSEQUENCE_RANK + span / (span + 1)
  }
  if (name === wanted) return 0
  if (name.startsWith(wanted)) return 1
  if (name.split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(wanted))) return 2
  return name.includes(wanted) ? 3 : 4
}

const SUBSEQUENCE_RANK = 5
/** One letter is in nearly every name. */
const LETTERS_MIN = 2

/** Letters that lie between those of the text, where they occur in their order; absent where they do not. */
function spanOf(wanted: string, name: string): number | undefined {
  if (wanted.length < LETTERS_MIN) return undefined
  let end = -1
  for (const letter of wanted) {
    end = name.indexOf(letter, end + 1)
    if (end < 0) return undefined
  }
  return end + 1 - name.indexOf(wanted.charAt(0)) - wanted.length
}

export interface Offered {
  /** Chosen before, newest first. */
  readonly recent: readonly Choice[]
  /** Acts, pages, templates and commands, in the order of the list without a text. */
  readonly known: readonly Choice[]
  /** Entities that the server found, best first. */
  readonly entities: readonly Choice[]
  /** Whether the entities are those of the present text. */
  readonly isCurrent: boolean
}

/** The palette offers these for a text; without one, what was chosen before, then everything that is known. */
export function offer(
  text: string,
  { recent, known, entities, isCurrent }: Offered,
): readonly Choice[] {
  if (fold(text) === '') return unique([...recent, ...known]).slice(0, CHOICES_MAX)
  const ranked = unique([...recent, ...known, ...entities]).map((choice) => ({
    choice,
    rank: rankOf(choice, text),
  }))
  const found = new Set(entities.map(idOf))
  return ranked
    .flatMap(({ choice, rank }) => {
      // The server also finds words of descriptions and tags, which are not shown here.
      const other = isCurrent && found.has(idOf(choice)) ? LAST_RANK : undefined
      const place = rank ?? other
      return place === undefined ? [] : [{ choice, place }]
    })
    .toSorted((one, another) => one.place - another.place)
    .slice(0, CHOICES_MAX)
    .map(({ choice }) => choice)
}

const LAST_RANK = SUBSEQUENCE_RANK + 1

const unique = (choices: readonly Choice[]): readonly Choice[] => {
  // The first choice of an id stays at its place, with the newer words of a later one.
  const byId = new Map<string, Choice>()
  for (const choice of choices) byId.set(idOf(choice), choice)
  return [...byId.values()]
}

/** An act of an entity that can be done now; the entity's own page says why others are refused. */
export interface OfferedAct {
  readonly do: string
  readonly environment: string | null
  readonly label: string
}

export const ACT_ICONS: Readonly<Record<string, IconName>> = {
  rollback: 'undo',
  confirm: 'check',
  deprecate: 'box',
}

export const actChoice = (
  { do: what, label, environment }: OfferedAct,
  name: string,
  href: string,
): Choice => ({
  label,
  hint: environment === null ? name : `${name} · ${environment}`,
  icon: ACT_ICONS[what] ?? 'up',
  act: { kind: 'go', href },
})

/** Acts that are asked for by name, with the entity after it: `promote ledger`. */
const VERBS = [
  { do: 'promote', label: 'Promote', pattern: /^prom(?:o|ot|ote)?\s+/ },
  { do: 'release', label: 'Release', pattern: /^rel(?:e|ea|eas|ease)?\s+/ },
  { do: 'rollback', label: 'Roll back', pattern: /^roll\s?back\s+/ },
  { do: 'confirm', label: 'Confirm', pattern: /^conf(?:i|ir|irm)?\s+/ },
  { do: 'deprecate', label: 'Deprecate', pattern: /^depr(?:e|ec|eca|ecat|ecate)?\s+/ },
] as const

export interface AskedAct {
  readonly do: string
  readonly label: string
  /** Finds the entity. */
  readonly text: string
}

/** The act that a text begins with; absent without one, or without an entity after it. */
export function actIn(text: string): AskedAct | undefined {
  const wanted = fold(text)
  const verb = VERBS.find(({ pattern }) => pattern.test(wanted))
  if (verb === undefined) return undefined
  return { do: verb.do, label: verb.label, text: wanted.replace(verb.pattern, '') }
}

/** Position after an arrow key; the list goes round. */
export const moved = (at: number, count: number, step: 1 | -1): number =>
  count === 0 ? 0 : (at + step + count) % count

const RECENT_MAX = 5

/** The newest choice first, each once. Commands are not places to come back to. */
export const withRecent = (recent: readonly Choice[], choice: Choice): readonly Choice[] =>
  choice.act.kind === 'command'
    ? recent
    : [choice, ...recent.filter((other) => idOf(other) !== idOf(choice))].slice(0, RECENT_MAX)

/** Reads what a browser has kept for this person. Anything else is no choice. */
export function parseRecent(text: string | null, subject: string): readonly Choice[] {
  try {
    const kept: unknown = JSON.parse(text ?? 'null')
    if (!isRecord(kept) || kept['subject'] !== subject || !Array.isArray(kept['choices'])) return []
    return kept['choices'].filter(isPlace).slice(0, RECENT_MAX)
  } catch {
    return []
  }
}

export const recentText = (choices: readonly Choice[], subject: string): string =>
  JSON.stringify({ subject, choices })

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

function isPlace(value: unknown): value is Choice {
  if (!isRecord(value) || !isRecord(value['act'])) return false
  const { label, hint, icon, act } = value
  return (
    typeof label === 'string' &&
    typeof hint === 'string' &&
    typeof icon === 'string' &&
    Object.hasOwn(ICONS, icon) &&
    act['kind'] === 'go' &&
    typeof act['href'] === 'string' &&
    /^\/(?!\/)/.test(act['href'])
  )
}
