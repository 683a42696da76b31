import { RepositoryPart, type RepositoryId } from '../../../names.ts'

export type Service = 'upload-pack' | 'receive-pack'

export interface GitRequest {
  readonly repository: RepositoryId
  readonly service: Service
  /** The first request of a fetch or push, for the refs and capabilities. */
  readonly isAdvertisement: boolean
}

export const NOT_CACHED = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

/** `.git` may be left out, as in the address of the page of a repository. */
const PATH = /^\/git\/([^/]+)\/([^/]+?)(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/

export function parseGitRequest(request: Request): GitRequest | Response {
  const url = new URL(request.url)
  const [, ownerText, nameText, action] = PATH.exec(url.pathname) ?? []
  const owner = RepositoryPart.parse(ownerText)
  const name = RepositoryPart.parse(nameText)
  if (owner === undefined || name === undefined || action === undefined) {
    return refuse(404, 'no such repository')
  }
  const isAdvertisement = action === 'info/refs'
  const service = serviceOf(isAdvertisement ? url.searchParams.get('service') : action)
  if (service === undefined) return refuse(403, 'this server speaks only the smart protocol')

  const method = isAdvertisement ? 'GET' : 'POST'
  if (request.method !== method) return refuse(405, `use ${method}`, { allow: method })
  const type = `application/x-git-${service}-request`
  if (!isAdvertisement && request.headers.get('content-type') !== type)
    return refuse(415, `send ${type}`)
  return { repository: { owner, name }, service, isAdvertisement }
}

function serviceOf(text: string | null): Service | undefined {
  if (text === 'git-upload-pack') return 'upload-pack'
  return text === 'git-receive-pack' ? 'receive-pack' : undefined
}

/** Only the version: the rest of the header would become part of git's environment. `receive-pack` has no version 2. */
export function protocolOf(request: Request, service: Service): Record<string, string> {
  const [, version] =
    /(?:^|:)version=([12])(?:$|:)/.exec(request.headers.get('git-protocol') ?? '') ?? []
  const known = version === '1' || (version === '2' && service === 'upload-pack')
  return known ? { GIT_PROTOCOL: `version=${version}` } : {}
}

export function encodingOf({ headers }: Request): 'gzip' | 'identity' | undefined {
  const encoding = headers.get('content-encoding') ?? 'identity'
  if (encoding === 'gzip' || encoding === 'x-gzip') return 'gzip'
  return encoding === 'identity' ? encoding : undefined
}

export function refuse(
  status: number,
  text = 'git failed',
  headers: Record<string, string> = {},
): Response {
  return new Response(`${text}\n`, {
    status,
    headers: { ...NOT_CACHED, 'content-type': 'text/plain; charset=utf-8', ...headers },
  })
}
