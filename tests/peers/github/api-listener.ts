import type { IncomingMessage } from 'node:http'
import type { Answer } from '#tests/peers/forge/answer.ts'
import type { Fault } from '#tests/peers/forge/faults.ts'
import { isGitPath, serveGit } from '#tests/peers/forge/git-http.ts'
import { readBody, type Serve } from '#tests/peers/forge/listen.ts'
import { contentTypeOf, deliver, foreign, isBytes } from '#tests/peers/forge/send.ts'
import { notFound, Refusal, unprocessable } from './answer.ts'
import { complete, conditional, refuseHeaders } from './complete.ts'
import type { Operation } from './description.ts'
import { answerGraphql } from './graphql.ts'
import { handle } from './handle.ts'
import { headersOf, type Parts } from './parts.ts'
import { fullName, type State } from './state.ts'

const REPOSITORY_BY_ID = /^\/repositories\/(\d+)(\/.*)?$/

/** The API, and git beside it. */
export const apiListener =
  (parts: () => Parts, root: string): Serve =>
  async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://api')
    if (isGitPath(pathname)) return await serveGit(parts().git, request, response)
    const { answer, fault } = await answerTo(parts(), root, request)
    await parts().delay()
    if (answer === 'reset') request.socket.destroy()
    else deliver(request, response, answer, fault)
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
  const read = parsed(await readBody(request))
  const body = read instanceof Refusal ? undefined : read
  if (url.pathname === root.replace(/\/v3$/, '') + '/graphql') {
    const arrival = { name: 'graphql', method, path: url.pathname, headers, body } as const
    arrivals.push(arrival)
    const fault = faults.next('graphql', true)
    if (fault?.kind === 'reset' && fault.after !== true) return { answer: 'reset' }
    if (fault?.kind === 'answer' && fault.after !== true) return { answer: foreign(fault) }
    const answer = await answerGraphql(state, headers['authorization'], body)
    if (fault?.kind === 'reset') return { answer: 'reset' }
    return fault === undefined ? { answer } : { answer, fault }
  }
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
    const given = await handle(parts, operation, call, named?.isById === true)
    return { ...given, body: description.fillBody(operation, given.status, given.body) }
  })
  if (fault?.kind === 'alter') {
    const altered = { ...answer, body: fault.alter(answer.body) }
    return { answer: complete(parts, altered) }
  }
  const whole = conditional(parts, complete(parts, answer), method, headers)
  if (fault === undefined || fault.kind === 'wait') {
    if (parts.isChecked) checkAnswer(parts, operation, whole)
    return { answer: whole }
  }
  return { answer: fault.kind === 'reset' ? 'reset' : whole, fault }
}

function parsed(body: Buffer): unknown {
  if (body.length === 0) return undefined
  try {
    return JSON.parse(body.toString())
  } catch {
    return new Refusal(400, 'Problems parsing JSON')
  }
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

function checkAnswer({ description, deviations }: Parts, operation: Operation, answer: Answer) {
  const contentType = contentTypeOf(answer)?.split(';')[0] ?? null
  const body = isBytes(answer.body) ? undefined : answer.body
  const wrong = description.checkAnswer(operation, { status: answer.status, contentType, body })
  deviations.push(...wrong.map((each) => `the fake's ${each}`))
}
