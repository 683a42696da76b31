import { ok } from '../../lib/result.ts'
import { isObject } from '../../lib/text/json.ts'
import type { ApiObject } from './objects.ts'
import { badRequest, type Outcome } from './refusal.ts'

type Selector = (object: ApiObject) => boolean

const KEY = '(?:[a-z0-9][-a-z0-9.]*/)?[A-Za-z0-9][-A-Za-z0-9_.]*'
const EQUALITY = new RegExp(`^(${KEY})\\s*(==?|!=)\\s*([-A-Za-z0-9_.]*)$`)
const SET = new RegExp(`^(${KEY})\\s+(in|notin)\\s*\\(([^()]*)\\)$`)
const EXISTENCE = new RegExp(`^(!?)\\s*(${KEY})$`)
/** Commas outside of parentheses. */
const SEPARATOR = /,(?![^()]*\))/

/** Parses selectors such as `app=web,tier notin (cache, queue),!legacy`. All requirements must be met. */
export function parseLabelSelector(text: string): Outcome<Selector> {
  const terms: Selector[] = []
  for (const part of text.split(SEPARATOR).map((each) => each.trim())) {
    if (text.trim() === '') break
    const labelOf = ({ metadata: { labels = {} } }: ApiObject, key: string) =>
      Object.hasOwn(labels, key) ? labels[key] : undefined
    const [, key, operator, list = ''] = EQUALITY.exec(part) ?? SET.exec(part) ?? []
    const [, negation, present] = EXISTENCE.exec(part) ?? []
    if (key !== undefined) {
      const values = list.split(',').map((value) => value.trim())
      const isNegated = operator === '!=' || operator === 'notin'
      terms.push((object) => {
        const label = labelOf(object, key)
        return (label !== undefined && values.includes(label)) !== isNegated
      })
    } else if (present !== undefined) {
      terms.push((object) => (labelOf(object, present) === undefined) === (negation === '!'))
    } else {
      return badRequest(`unable to parse requirement: ${JSON.stringify(part)} is not valid`)
    }
  }
  return ok((object) => terms.every((isMet) => isMet(object)))
}

/** Parses selectors such as `metadata.name=web-0,status.phase!=Failed`. Any path of the object is a field. */
export function parseFieldSelector(text: string): Outcome<Selector> {
  const terms: Selector[] = []
  for (const part of text.split(',').filter((term) => term !== '')) {
    const [, path, operator, value = ''] = /^([^=!]+?)(==?|!=)(.*)$/.exec(part) ?? []
    if (path === undefined) {
      return badRequest(`invalid selector: '${text}'; can't understand '${part}'`)
    }
    terms.push((object) => (fieldOf(object, path) === value) === (operator !== '!='))
  }
  return ok((object) => terms.every((isMet) => isMet(object)))
}

const fieldOf = (object: ApiObject, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), object) ?? ''
