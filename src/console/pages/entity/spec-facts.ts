/** Further fields of groups and users. Others are in the source. */
const FIELDS = [
  ['E-mail', (spec) => isRecord(spec['profile']) && spec['profile']['email']],
  ['Parent', (spec) => spec['parent']],
  ['Children', (spec) => spec['children']],
  ['Groups', (spec) => spec['memberOf']],
] as const satisfies readonly (readonly [string, (spec: Fields) => unknown])[]

type Fields = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is Fields => typeof value === 'object' && value !== null

/** Labels and texts; files may have anything, so that only texts and lists of texts are taken. */
export const specFacts = (spec: unknown): readonly (readonly [string, string])[] =>
  isRecord(spec)
    ? FIELDS.map(([label, read]) => [label, textsOf(read(spec)).join(', ')] as const).filter(
        ([, text]) => text !== '',
      )
    : []

const textsOf = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).filter((text) => typeof text === 'string')
