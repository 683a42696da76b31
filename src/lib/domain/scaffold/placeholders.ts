/** Names of the placeholders that every template has. */
export const VALUE_NAMES = [
  'appName',
  'description',
  'team',
  'namespace',
  'org',
  'owner',
  'image',
  'templateId',
  'templateVersion',
  'databaseEnabled',
  'externalSecretsEnabled',
  'ingressEnabled',
] as const

/** Values by the names of their placeholders. */
export type Values = ReadonlyMap<string, PlaceholderValue>

export interface PlaceholderValue {
  /** A plain value, such as a name, a number or a flag, has no character with a meaning anywhere; people write the others. */
  readonly kind: 'plain' | 'description' | 'parameter'
  readonly text: string
}

const PARAMETERS = 'parameters.'

/** The values of a run. */
export const valuesOf = (
  { description, ...fixed }: Readonly<Record<(typeof VALUE_NAMES)[number], string>>,
  parameters: Readonly<Record<string, string | number | boolean>>,
): Values =>
  new Map<string, PlaceholderValue>([
    ...Object.entries(fixed).map(([name, text]) => [name, { kind: 'plain', text }] as const),
    ['description', { kind: 'description', text: description }],
    ...Object.entries(parameters).map(
      ([name, value]) =>
        [
          `${PARAMETERS}${name}`,
          { kind: typeof value === 'string' ? 'parameter' : 'plain', text: String(value) },
        ] as const,
    ),
  ])

/** A word in the place of each value, of a template with these parameters. */
export const sampleValues = (parameters: readonly string[]): Values =>
  new Map<string, PlaceholderValue>([
    ...VALUE_NAMES.map((name) => [name, { kind: 'plain', text: 'word' }] as const),
    ...parameters.map(
      (name) => [`${PARAMETERS}${name}`, { kind: 'parameter', text: 'word' }] as const,
    ),
  ])

const PLACEHOLDER = /\{\{ *values\.([A-Za-z]+|parameters\.[A-Za-z][0-9A-Za-z_-]*) *\}\}/g

/** Replaces `{{ values.appName }}` and the like once: braces of GitHub and Helm, and placeholders within values, stay. */
export const substitute = (text: string, valueOf: (name: string) => string | undefined): string =>
  text.replaceAll(PLACEHOLDER, (whole, name: string) => valueOf(name) ?? whole)

/** Names of the placeholders of a text, once each. */
export const placeholdersOf = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(PLACEHOLDER)].flatMap(([, name]) => name ?? []))

/** Whether a text has the placeholder of a parameter without a value. */
export const hasUnknownParameter = (text: string, values: Values): boolean =>
  [...placeholdersOf(text)].some((name) => name.startsWith(PARAMETERS) && !values.has(name))
