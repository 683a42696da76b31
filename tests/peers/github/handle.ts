import type { Answer } from '#tests/peers/forge/answer.ts'
import { authenticate, authorize, findRepository } from './access.ts'
import type { Call } from './call.ts'
import { authenticateApp } from './calls/apps.ts'
import type { Operation } from './description.ts'
import type { Parts } from './parts.ts'
import type { Credential } from './state.ts'

/** The answer of an operation to whoever may have it. */
export async function handle(
  { state, handlers, limits, links }: Parts,
  operation: Operation,
  given: Omit<Call, 'credential'>,
  isById: boolean,
): Promise<Answer> {
  const handler = handlers[operation.id]
  const { headers, parameters, target } = given
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
