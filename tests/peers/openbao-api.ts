const ANSWER_MS = 5_000

export interface OpenBaoAnswer {
  readonly status: number
  /** `null`: an answer without a body, or one that is not JSON. */
  readonly json: unknown
}

interface RequestOptions {
  /** Instead of root. */
  readonly token?: string
  readonly namespace?: string
}

/** Parameters of `auth/token/create-orphan`. */
interface TokenOptions {
  readonly policies: readonly string[]
  readonly ttl?: string
  readonly explicit_max_ttl?: string
  readonly period?: string
  readonly renewable?: boolean
  readonly num_uses?: number
  readonly type?: 'service' | 'batch'
}

export interface OpenBaoApi {
  /** Asks for a path below `/v1/`, as root. `PATCH` is sent as a merge patch. */
  request(
    method: string,
    path: string,
    body?: unknown,
    options?: RequestOptions,
  ): Promise<OpenBaoAnswer>
  /** The same, and throws when it is refused. */
  must(method: string, path: string, body?: unknown, options?: RequestOptions): Promise<unknown>
  policy(name: string, hcl: string, options?: RequestOptions): Promise<void>
  /** A token without the policy `default`. */
  token(wanted: TokenOptions, options?: RequestOptions): Promise<string>
}

/** The requests that tests make to set a server up and to see what it has. */
export function createOpenBaoApi(
  url: string,
  rootToken: string,
  authority: string | undefined,
): OpenBaoApi {
  const request: OpenBaoApi['request'] = async (method, path, body, options = {}) => {
    const response = await fetch(`${url}/v1/${path}`, {
      method,
      redirect: 'manual',
      headers: {
        'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
        'x-vault-token': options.token ?? rootToken,
        ...(options.namespace !== undefined && { 'x-vault-namespace': options.namespace }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(authority !== undefined && { tls: { ca: authority } }),
      signal: AbortSignal.timeout(ANSWER_MS),
    })
    const json: unknown = await response.json().catch(() => null)
    return { status: response.status, json }
  }

  const must: OpenBaoApi['must'] = async (method, path, body, options) => {
    const { status, json } = await request(method, path, body, options)
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(json)}`)
    return json
  }

  return {
    request,
    must,
    async policy(name, hcl, options) {
      await must('PUT', `sys/policies/acl/${name}`, { policy: hcl }, options)
    },
    async token(wanted, options) {
      const body = { no_default_policy: true, ...wanted }
      const json = await must('POST', 'auth/token/create-orphan', body, options)
      return (json as { auth: { client_token: string } }).auth.client_token
    },
  }
}
