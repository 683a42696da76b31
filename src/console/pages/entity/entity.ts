import type { AnswerOf } from '../../api/call.ts'

export type Entity = AnswerOf<'get', '/api/v1/catalog/entities/{kind}/{name}'>

/** Kinds that are described and never deployed. */
const NEVER_PROMOTED: ReadonlySet<string> = new Set([
  'api',
  'resource',
  'system',
  'domain',
  'group',
  'user',
])

export const isPromoted = (kind: string): boolean => !NEVER_PROMOTED.has(kind.toLowerCase())

/** `component/payments-api` as parameters of its page; nothing for a text of another form. */
export function parseSuggestion(text: string): readonly { kind: string; name: string }[] {
  const [kind, name, ...rest] = text.split('/')
  return kind === undefined || name === undefined || rest.length > 0 ? [] : [{ kind, name }]
}
