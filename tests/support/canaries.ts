/**
 * Values that must not leave the place they are sent to, and a search for them in every form that a program may give them by accident:
 * raw, base64, base64url, hex, URL-encoded and escaped as JSON, also as a part of something longer. A part that no escaping changes
 * finds text that was escaped several times.
 */

/** A value that every encoding changes, with parts that no escaping changes. */
export const makeCanary = (name: string): string =>
  `${name}-"${crypto.randomUUID()}"\n\u00fc/?&+ \\${crypto.randomUUID()}`

/** The forms of a value, each with a name. Case counts, except for hex. */
export function formsOf(value: string): ReadonlyMap<string, string> {
  const bytes = Buffer.from(value)
  const escaped = JSON.stringify(value).slice(1, -1)
  return new Map([
    ['raw', value],
    ['JSON', escaped],
    ...(PLAIN.exec(value) ?? []).map((part) => ['a part', part] as const),
    ['URL', encodeURIComponent(value)],
    ['form', new URLSearchParams([['', value]]).toString().slice(1)],
    ['hex', bytes.toString('hex')],
    ['upper-case hex', bytes.toString('hex').toUpperCase()],
    // Base64 of something longer depends on how many bytes come before, and its ends on the neighbours.
    ...[0, 1, 2].flatMap((before) => {
      const padded = Buffer.concat([Buffer.alloc(before), bytes])
      const whole = (encoding: 'base64' | 'base64url') =>
        padded.toString(encoding).slice(before === 0 ? 0 : before + 1, -4)
      return [
        [`base64 after ${before}`, whole('base64')],
        [`base64url after ${before}`, whole('base64url')],
      ] as const
    }),
  ])
}

/** Letters, digits and dashes stay as they are in JSON and in URLs. */
const PLAIN = /[\w-]{24,}/

export interface Sighting {
  readonly canary: string
  readonly form: string
  readonly place: string
}

/** The canaries in a text or in bytes, each once per place. */
export function sightings(
  canaries: ReadonlyMap<string, string>,
  places: Iterable<readonly [place: string, content: string | Uint8Array]>,
): readonly Sighting[] {
  const forms = [...canaries].flatMap(([canary, value]) =>
    [...formsOf(value)].map(([form, text]) => ({ canary, form, bytes: Buffer.from(text) })),
  )
  return [...places].flatMap(([place, content]) => {
    const haystack = Buffer.from(content)
    return forms
      .filter(({ bytes }) => haystack.includes(bytes))
      .map(({ canary, form }) => ({ canary, form, place }))
  })
}
