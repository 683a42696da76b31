import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { authenticate, authorize, findRepository } from './access.ts'
import { notFound, Refusal, unprocessable, type Answer } from './answer.ts'
import type { Behaviour, Call } from './call.ts'
import { authenticateApp } from './calls/apps.ts'
import type { Description, Operation } from './description.ts'
import type { CallName, Fault, Faults } from './faults.ts'
import type { Handler } from './handlers.ts'
import type { Limits } from './limits.ts'
import type { Links } from './links.ts'
import { fullName, type Credential, type State } from './state.ts'
import { contentTypeOf, isBytes, send } from './send.ts'
import { serveStored, type Storage } from './storage.ts'

/** A request that arrived, for counts and for what was sent with it. */
export interface Arrival {
  readonly name: CallName | 'unknown'
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: unknown
}

export interface Parts {
  readonly state: State
  readonly links: Links
  readonly behaviour: Behaviour
  readonly description: Description
  readonly handlers: Readonly<Record<Operation['id'], Handler>>
  readonly limits: Limits
  readonly faults: Faults
  readonly storage: Storage
  readonly arrivals: Arrival[]
  /** What does not agree with GitHub's description, by the adapter or by this fake. */
  readonly deviations: string[]
  /** Before each answer. */
  readonly delay: () => Promise<void>
  readonly isChecked: boolean
}

const VERSIONS = ['2022-11-28', '2026-03-10']
const REPOSITORY_BY_ID = /^\/repositories\/(\d+)(\/.*)?$/

interface Listening extends AsyncDisposable {
  readonly origin: string
}

export async function listen(answer: RequestListener): Promise<Listening> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    origin: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const headersOf = (request: IncomingMessage) =>
  Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, value?.toString()]),
  )

async function readBody(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  const text = Buffer.concat(parts).toString()
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal(400, 'Problems parsing JSON')
  }
}

/** A bug of the fake fails the test, and does not leave the client waiting. */
function answering(
  parts: () => Parts,
  request: IncomingMessage,
  answer: () => Promise<void>,
): void {
  answer().catch((error: unknown) => {
    parts().deviations.push(`the fake broke: ${String(error)}`)
    request.socket.destroy()
  })
}

/** The storage of archives and assets. Whoever sends credentials there has given them away. */
export const storageListener =
  (parts: () => Parts): RequestListener =>
  (request, response) => {
    answering(parts, request, async () => {
      const { storage, arrivals, faults, deviations, delay } = parts()
      const url = new URL(request.url ?? '/', 'http://storage')
      const stored = storage.find(url)
      const name = stored?.kind === 'asset' ? 'storage/asset' : 'storage/archive'
      const headers = headersOf(request)
      arrivals.push({ name, method: request.method ?? '', path: url.pathname, headers, body: null })
      const given = Object.keys(headers).filter((each) => /authorization|cookie|token/.test(each))
      if (given.length > 0) deviations.push(`storage was sent ${given.join(', ')}`)
      const fault = faults.next(name, false)
      await delay()
      if (fault?.kind === 'wait') await fault.until
      const answer: Answer =
        stored === undefined
          ? {
              status: 403,
              headers: { 'content-type': 'application/xml' },
              body: Buffer.from('<Error/>'),
            }
          : await serveStored(stored, headers['range'])
      deliver(request, response, answer, fault)
    })
  }

function deliver(
  request: Parameters<RequestListener>[0],
  response: Parameters<RequestListener>[1],
  answer: Answer,
  fault: Fault | undefined,
): void {
  if (fault?.kind === 'reset') request.socket.destroy()
  else if (fault?.kind === 'answer') send(request, response, foreign(fault), undefined)
  else if (fault?.kind === 'alter')
    send(request, response, { ...answer, body: fault.alter(answer.body) }, undefined)
  else send(request, response, answer, fault)
}

function foreign({ status, headers, body }: Extract<Fault, { kind: 'answer' }>): Answer {
  if (typeof body !== 'string' || isBytes(body))
    return { status, body, ...(headers !== undefined && { headers }) }
  const type = { 'content-type': 'text/html; charset=utf-8' }
  return { status, headers: { ...type, ...headers }, body: Buffer.from(body) }
}

/** The API. */
export const apiListener =
  (parts: () => Parts, root: string): RequestListener =>
  (request, response) => {
    answering(parts, request, async () => {
      const { answer, fault } = await answerTo(parts(), root, request)
      await parts().delay()
      if (answer === 'reset') request.socket.destroy()
      else deliver(request, response, answer, fault)
    })
  }

interface Outcome {
  readonly answer: Answer | 'reset'
  /** Fault of the answer, when it has one. */
  readonly fault?: Fault
}

async function answerTo(parts: Parts, root: string, request: IncomingMessage): Promise<Outcome> {
  const { description, arrivals, faults, deviations, state } = parts
  const url = new URL(request.url ?? '/', 'http://api')
  const method = request.method ?? 'GET'
  const headers = headersOf(request)
  const read = await readBody(request).catch((error: unknown) => error)
  const body = read instanceof Refusal ? undefined : read
  const path = url.pathname.startsWith(`${root}/`) ? url.pathname.slice(root.length) : null
  const named = path === null ? null : withoutId(state, path)
  const found = named === null ? undefined : description.find(method, named.path)
  arrivals.push({
    name: found?.operation.id ?? 'unknown',
    method,
    path: url.pathname,
    headers,
    body,
  })
  if (found === undefined) {
    deviations.push(`GitHub describes no ${method} ${url.pathname}`)
    return { answer: complete(parts, notFound().answer) }
  }
  const { operation, parameters } = found
  const fault = faults.next(operation.id, method !== 'GET')
  if (fault?.kind === 'reset' && fault.after !== true) return { answer: 'reset' }
  if (fault?.kind === 'answer' && fault.after !== true) return { answer: foreign(fault) }
  if (fault?.kind === 'wait') await fault.until

  const target = `${path ?? ''}${url.search}`
  const answer = await attempt(async () => {
    if (read instanceof Refusal) throw read
    const query = url.searchParams
    const request = { operation, parameters, query, body }
    const wrong = parts.isChecked ? description.checkRequest(request) : []
    deviations.push(...wrong.map((each) => `${method} ${path}: ${each}`))
    if (wrong.length > 0) throw unprocessable(`Invalid request.\n\n${wrong.join('\n')}`)
    refuseHeaders(headers)
    const call = { ...parts, parameters, query, headers, body, target }
    return await handle(parts, operation, call, named?.isById === true)
  })
  const whole = conditional(parts, complete(parts, answer), method, headers)
  if (fault === undefined || fault.kind === 'wait') {
    if (parts.isChecked) checkAnswer(parts, operation, whole)
    return { answer: whole }
  }
  return { answer: fault.kind === 'reset' ? 'reset' : whole, fault }
}

/** The path of a repository by its id, as redirects of renamed ones have it, by its name. */
function withoutId(
  state: State,
  path: string,
): { readonly path: string; readonly isById: boolean } {
  const [, id, rest = ''] = REPOSITORY_BY_ID.exec(path) ?? []
  if (id === undefined) return { path, isById: false }
  const repository = [...state.repositories.values()].find((each) => each.id === Number(id))
  const name = repository === undefined ? 'nobody/nothing' : fullName(repository)
  return { path: `/repos/${name}${rest}`, isById: true }
}

async function attempt(run: () => Promise<Answer>): Promise<Answer> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof Refusal) return error.answer
    throw error
  }
}

function refuseHeaders(headers: Arrival['headers']): void {
  if (headers['user-agent'] === undefined)
    throw new Refusal(
      403,
      'Request forbidden by administrative rules. Please make sure your request has a User-Agent header.',
    )
  const version = headers['x-github-api-version']
  if (version !== undefined && !VERSIONS.includes(version))
    throw new Refusal(400, `${version} is not a supported version of the GitHub REST API`)
}

async function handle(
  { state, handlers, limits, links }: Parts,
  operation: Operation,
  given: Omit<Call, 'credential'>,
  isById: boolean,
): Promise<Answer> {
  const handler = handlers[operation.id]
  const { headers, parameters, target } = given
  if (handler.in === 'public') return await handler.answer()
  if (handler.in === 'app') {
    const token = /^Bearer (.+)$/i.exec(headers['authorization'] ?? '')?.[1] ?? ''
    const appId = await authenticateApp(state, token)
    return await handler.answer({ ...given, credential: NOBODY }, appId)
  }
  const credential = authenticate(state, headers['authorization'])
  limits.spend()
  const call = { ...given, credential }
  if (handler.in === 'host') {
    authorize(credential, operation.id, undefined)
    return await handler.answer(call)
  }
  const { owner = '', repo = '' } = parameters
  const { repository, isFormerName } = findRepository(state, credential, owner, repo)
  if (isFormerName && !isById) {
    const rest = target.replace(/^\/repos\/[^/]+\/[^/?]+/, '')
    const location = `${links.api}/repositories/${repository.id}${rest}`
    return operation.method === 'GET'
      ? { status: 301, headers: { location }, body: moved('Moved Permanently', location) }
      : { status: 307, headers: { location }, body: moved('Temporary Redirect', location) }
  }
  authorize(credential, operation.id, repository)
  return await handler.answer({ ...call, repository })
}

const NOBODY: Credential = {
  kind: 'installation',
  account: { id: 0, login: 'app', type: 'Bot' },
  rights: {},
  repositories: [],
  expiresAt: null,
}

const moved = (message: string, url: string) => ({
  message,
  url,
  documentation_url: 'https://docs.github.com/rest/guides/best-practices-for-using-the-rest-api',
})

function complete({ limits, state }: Parts, answer: Answer): Answer {
  return {
    ...answer,
    headers: {
      date: new Date(state.now()).toUTCString(),
      'x-github-request-id': crypto.randomUUID().slice(0, 18).toUpperCase(),
      'x-github-media-type': 'github.v3; format=json',
      'x-github-api-version-selected': VERSIONS[0] ?? '',
      ...limits.headers(),
      ...answer.headers,
    },
  }
}

/** Reads have an entity tag, which belongs to the credential; an unchanged answer is free. */
function conditional(
  { limits }: Parts,
  answer: Answer,
  method: string,
  headers: Arrival['headers'],
): Answer {
  if (method !== 'GET' || answer.status !== 200) return answer
  const content = isBytes(answer.body) ? answer.body : JSON.stringify(answer.body ?? null)
  const hash = new Bun.CryptoHasher('sha256')
  const tag = hash
    .update(headers['authorization'] ?? '')
    .update(content)
    .digest('hex')
  const etag = isBytes(answer.body) ? `"${tag}"` : `W/"${tag}"`
  const tagged = { ...answer.headers, etag, 'cache-control': 'private, max-age=60, s-maxage=60' }
  if (headers['if-none-match'] !== etag) return { ...answer, headers: tagged }
  limits.refund()
  return { status: 304, headers: { ...tagged, ...limits.headers() } }
}

function checkAnswer({ description, deviations }: Parts, operation: Operation, answer: Answer) {
  const contentType = contentTypeOf(answer)?.split(';')[0] ?? null
  const body = isBytes(answer.body) ? undefined : answer.body
  const wrong = description.checkAnswer(operation, { status: answer.status, contentType, body })
  deviations.push(...wrong.map((each) => `the fake's ${each}`))
}
