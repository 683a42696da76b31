import { printable, printableJson } from '../printable.ts'
import { isObject, parseJson } from '../../lib/text/json.ts'
import { connect, refusal } from './connection.ts'
import { usage } from './failure.ts'

export interface ApiRequest {
  readonly portal?: string
  readonly field: readonly string[]
  readonly input?: string
  readonly include: boolean
  readonly paginate: boolean
}

const NEXT = /<([^>]+)>;\s*rel="next"/
/** Pages of 1,000 rows. */
const PAGES_MAX = 1_000

/** Sends one request, as `gh api` does: the answer goes to standard output as it is, and on a terminal printable. */
export async function api(method: string, path: string, request: ApiRequest): Promise<void> {
  const connection = connect(request)
  const body = await bodyOf(request)
  const init = body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }
  const pages: unknown[] = []
  let next: string | undefined = path.startsWith('/') ? path : `/api/v1/${path}`
  for (let page = 0; next !== undefined && page < PAGES_MAX; page++) {
    const response = await connection.send(method.toUpperCase(), next, init)
    if (!response.ok) throw await refusal(connection.portal, response)
    if (request.include) {
      console.log(response.status)
      for (const [name, value] of response.headers) console.log(printable(`${name}: ${value}`))
      console.log('')
    }
    next = request.paginate ? NEXT.exec(response.headers.get('link') ?? '')?.[1] : undefined
    if (response.headers.get('content-type')?.startsWith('application/json') !== true) {
      return passOn(response)
    }
    const answer = parseJson(await response.text())
    if (request.paginate && Array.isArray(answer)) pages.push(...(answer as readonly unknown[]))
    else pages.push(answer)
  }
  console.log(printableJson(request.paginate ? pages : pages[0]))
}

/** A stream line by line, as it comes. */
async function passOn(response: Response): Promise<void> {
  const decoder = new TextDecoder()
  const stream: ReadableStream<Uint8Array> | null = response.body
  for await (const part of stream ?? []) {
    const text = decoder.decode(part, { stream: true })
    process.stdout.write(process.stdout.isTTY ? text.split('\n').map(printable).join('\n') : text)
  }
}

async function bodyOf({ field, input }: ApiRequest): Promise<string | undefined> {
  if (input !== undefined && field.length > 0) throw usage('--input and --field exclude each other')
  if (input !== undefined) return input === '-' ? Bun.stdin.text() : Bun.file(input).text()
  return field.length === 0 ? undefined : JSON.stringify(objectOf(field))
}

/** `a.b=1` is `{ a: { b: 1 } }`; a value that is JSON is that value, any other a text. */
export function objectOf(fields: readonly string[]): Readonly<Record<string, unknown>> {
  const root: Record<string, unknown> = {}
  for (const field of fields) {
    const at = field.indexOf('=')
    if (at < 1) throw usage(`a field must be name=value, and one is not`)
    const names = field.slice(0, at).split('.')
    if (names.some((name) => name === '' || name === '__proto__'))
      throw usage('a field has no name')
    const text = field.slice(at + 1)
    let place: Record<string, unknown> = root
    for (const name of names.slice(0, -1)) {
      const before = Object.hasOwn(place, name) ? place[name] : {}
      if (!isObject(before)) throw usage('a field is both a value and an object')
      const inner = { ...before }
      place[name] = inner
      place = inner
    }
    place[names.at(-1) ?? ''] = parseJson(text) ?? text
  }
  return root
}
