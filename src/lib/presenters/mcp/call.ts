import { isObject, parseJson } from '../../text/json.ts'
import { err, ok, type Result } from '../../result.ts'
import type { Tool } from './tools.ts'

export type Arguments = Readonly<Record<string, unknown>>

const TEXT_MAX_BYTES = 2_048
/** Control, format and bidi characters, and the tag characters that people do not see and models read. */
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u{E0000}-\u{E007F}]/gu
/** In JSON: what may hide, an escape that may be one, and a text of which 512 characters may be 2 KB. Most answers have none. */
const SUSPICIOUS = new RegExp(`^[^{[]|\\\\|"[^"]{512}|${HIDDEN.source}`, 'u')

/** The request of a tool's route; a sentence when an argument is none of the tool's. */
export function requestOf(
  tool: Tool,
  given: Arguments,
  origin: string,
): Result<{ readonly url: string; readonly body: string | null }, string> {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(tool.arguments, name))
  if (unknown !== undefined) return err('an argument is not one of this tool')
  const missing = tool.required?.find((name) => given[name] === undefined)
  if (missing !== undefined) return err(`${missing} is missing`)
  const rest: Record<string, unknown> = { ...defaultsOf(tool), ...given }
  const path = tool.route.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = rest[name]
    delete rest[name]
    return encodeURIComponent(typeof value === 'string' ? value : '')
  })
  // `..` as a segment would be another path once the URL is parsed.
  if (/\/(?:\.|%2e){1,2}(?:\/|$)|\/\/|\/$/i.test(path)) return err('a name is not one')
  const query = new URLSearchParams(tool.query)
  if (tool.method === 'GET') {
    for (const [name, value] of Object.entries(rest)) {
      if (!['string', 'number', 'boolean'].includes(typeof value))
        return err(`${name} is not a text`)
      query.set(name, String(value))
    }
  }
  const search = query.size > 0 ? `?${query.toString()}` : ''
  return ok({
    url: `${origin}${path}${search}`,
    body: tool.method === 'POST' ? JSON.stringify(rest) : null,
  })
}

/** Arguments with a default, which the schema names. */
const defaultsOf = (tool: Tool): Arguments =>
  Object.fromEntries(
    Object.entries(tool.arguments).flatMap(([name, { default: value }]) =>
      value === undefined ? [] : [[name, value]],
    ),
  )

/** Values of secrets are never an argument: what an agent has seen is no secret any more. */
export const hasSecrets = ({ overlayConfig }: Arguments): boolean =>
  isObject(overlayConfig) && ('secrets' in overlayConfig || 'overwriteSecrets' in overlayConfig)

/** The answer of a route as that of a tool. Texts of others stay strings of JSON, without what hides in them. */
export async function resultOf(response: Response) {
  const given = await response.text()
  const text = SUSPICIOUS.test(given) ? harmlessJson(given) : given
  return { content: [{ type: 'text', text }], isError: !response.ok }
}

function harmlessJson(given: string): string {
  const answer = parseJson(given)
  return JSON.stringify(answer ?? null, (_, value: unknown) =>
    typeof value === 'string' ? harmless(value) : value,
  )
}

function harmless(value: string): string {
  const shown = value.replaceAll(HIDDEN, '')
  if (Buffer.byteLength(shown) <= TEXT_MAX_BYTES) return shown
  return `${new TextDecoder().decode(Buffer.from(shown).subarray(0, TEXT_MAX_BYTES - 4)).replace(/\uFFFD$/, '')}…`
}
