import { ok } from '../../../lib/result.ts'
import { badRequest, type Outcome } from './refusal.ts'

export type Labels = Readonly<Record<string, string>>
export type LabelSelector = (labels: Labels) => boolean

const NAME = '[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?'
const KEY = new RegExp(`^(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?/)?${NAME}$`)
const VALUE = new RegExp(`^(?:${NAME})?$`)

/** Commas outside of parentheses. */
const SEPARATOR = /,(?![^()]*\))/

const syntaxes: readonly (readonly [
  RegExp,
  (key: string, value: string) => LabelSelector | undefined,
])[] = [
  [/^([^\s=!<>()]+)\s*==?\s*([^\s=!<>()]*)$/, (key, value) => oneOf(key, [value])],
  [/^([^\s=!<>()]+)\s*!=\s*([^\s=!<>()]*)$/, (key, value) => not(oneOf(key, [value]))],
  [/^([^\s=!<>()]+)\s+in\s*\(([^()]*)\)$/, (key, list) => oneOf(key, list.split(','))],
  [/^([^\s=!<>()]+)\s+notin\s*\(([^()]*)\)$/, (key, list) => not(oneOf(key, list.split(',')))],
  [/^([^\s=!<>()]+)\s*>\s*(\d+)$/, (key, value) => compare(key, (label) => label > Number(value))],
  [/^([^\s=!<>()]+)\s*<\s*(\d+)$/, (key, value) => compare(key, (label) => label < Number(value))],
  [/^!\s*([^\s=!<>()]+)()$/, (key) => not(exists(key))],
  [/^([^\s=!<>()]+)()$/, (key) => exists(key)],
]

/** Parses selectors such as `app=web,tier notin (cache, queue),!legacy`. All requirements must be met. */
export function parseLabelSelector(text: string | null): Outcome<LabelSelector> {
  const requirements: LabelSelector[] = []
  const parts = text === null || text.trim() === '' ? [] : text.split(SEPARATOR)
  for (const part of parts) {
    const requirement = parseRequirement(part.trim())
    if (requirement === undefined) {
      return badRequest(`unable to parse requirement: ${JSON.stringify(part.trim())} is not valid`)
    }
    requirements.push(requirement)
  }
  return ok((labels) => requirements.every((isMet) => isMet(labels)))
}

function parseRequirement(text: string): LabelSelector | undefined {
  for (const [syntax, build] of syntaxes) {
    const [, key, value = ''] = syntax.exec(text) ?? []
    if (key !== undefined) return KEY.test(key) ? build(key, value) : undefined
  }
  return undefined
}

const valueOf = (labels: Labels, key: string): string | undefined =>
  Object.hasOwn(labels, key) ? labels[key] : undefined

const exists =
  (key: string): LabelSelector =>
  (labels) =>
    valueOf(labels, key) !== undefined

function oneOf(key: string, list: readonly string[]): LabelSelector | undefined {
  const values = new Set(list.map((value) => value.trim()))
  if (![...values].every((value) => VALUE.test(value))) return undefined
  return (labels) => {
    const label = valueOf(labels, key)
    return label !== undefined && values.has(label)
  }
}

const not = (selector: LabelSelector | undefined): LabelSelector | undefined =>
  selector && ((labels) => !selector(labels))

const compare =
  (key: string, is: (label: number) => boolean): LabelSelector =>
  (labels) => {
    const label = valueOf(labels, key)
    return label !== undefined && /^\d+$/.test(label) && is(Number(label))
  }
