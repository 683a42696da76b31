import { expect, test } from 'bun:test'
import { ada, startOidcPeer } from '#tests/peers/oidc-provider.ts'
import { type ForwardedRequest, type Passage, startHttpProxy } from '#tests/peers/http-proxy.ts'
import { openbaoProgram, startOpenBao } from '#tests/peers/openbao.ts'
import { applicationFiles } from '#tests/support/application.ts'
import { formsOf, makeCanary, sightings } from '#tests/support/canaries.ts'
import { everythingOnDisk } from '#tests/support/everything-on-disk.ts'
import { freePort } from '#tests/support/free-port.ts'
import { runPortico } from '#tests/support/portico-process.ts'
import { SESSION_KEYS } from '#tests/support/installation.ts'
import { openReplicas, signIn } from '#tests/support/replicas.ts'
import { letPorticoIn } from '#tests/support/vault-login.ts'

const API = '/api/v1'
/** Canaries that no request to the store has in its body. */
const UNSENT = ['token', 'given token', 'too large', 'value, a refused login']
const WRITES: readonly string[] = ['POST', 'PATCH']

/** An answer that quotes everything that was sent, as a proxy's error page or a careless plug-in does. */
const quote = (status: number, { method, path, headers, body }: ForwardedRequest) => {
  const sent = `${method} ${path} ${headers.get('x-vault-token') ?? ''} ${body}`
  return Response.json(
    { errors: [sent], warnings: [sent], data: { error: sent }, request_id: sent },
    { status, headers: { 'x-quoted': encodeURIComponent(sent), 'retry-after': '60' } },
  )
}
const isEntry = ({ path }: ForwardedRequest) => path.startsWith('/v1/secret/')
const isWrite = (request: ForwardedRequest) => isEntry(request) && WRITES.includes(request.method)

const onWrite =
  (answer: (request: ForwardedRequest) => Response): Passage =>
  (request, forward) =>
    isWrite(request) ? Promise.resolve(answer(request)) : forward()
const quoting = (status: number) => onWrite((request) => quote(status, request))
const redirecting: Passage = onWrite(
  ({ body }) =>
    new Response(null, {
      status: 307,
      headers: { location: `http://127.0.0.1:9/${encodeURIComponent(body)}` },
    }),
)
const quotingInHtml: Passage = onWrite(
  ({ body }) =>
    new Response(`<p>${body}</p>`, { status: 500, headers: { 'content-type': 'text/html' } }),
)
const cutOff: Passage = onWrite(
  ({ body }) =>
    new Response(`{"errors":[${JSON.stringify(body)}`, {
      status: 400,
      headers: { 'content-type': 'application/json' },
    }),
)
/** Every token is refused, and a login answers with what was sent. */
const loggedOut: Passage = async (request, forward) => {
  if (request.path.includes('/login')) return quote(400, request)
  return isEntry(request) || request.path.includes('/lookup-self') ? quote(403, request) : forward()
}
const sealed: Passage = onWrite((request) => {
  const { body } = request
  return Response.json({ errors: ['Vault is sealed', body] }, { status: 503 })
})

const failures: readonly (readonly [name: string, passage: Passage])[] = [
  ['sealed', sealed],
  ...[200, 204, 400, 403, 404, 405, 413, 415, 429, 500, 502, 503, 504].map(
    (status) => [`${status} that quotes`, quoting(status)] as const,
  ),
  ['a redirect to another host', redirecting],
  ['an HTML page that quotes', quotingInHtml],
  ['a JSON body that ends too early', cutOff],
]

test.skipIf(openbaoProgram === null)(
  'values and tokens are in no log, answer, metric, file or crash',
  async () => {
    const canaries = new Map<string, string>()
    const answers: [string, string][] = []
    let passage: Passage = (_request, forward) => forward()

    await using openbao = await startOpenBao()
    using way = startHttpProxy(openbao.url, async (request, forward, index) => {
      const token = request.headers.get('x-vault-token')
      if (token !== null) canaries.set(`token ${token.slice(0, 6)}`, token)
      return passage(request, forward, index)
    })
    await using provider = await startOidcPeer({
      people: [ada],
      publicUrl: 'http://portal.test',
    })
    const login = await letPorticoIn(openbao)
    canaries.set('secret id', login.secretId)
    const metricsPort = freePort()
    await using replicas = await openReplicas({
      ...provider.settings,
      ...login.settings,
      VAULT_ADDR: way.url,
      METRICS_PORT: String(metricsPort),
      LOG_LEVEL: 'debug',
    })
    await replicas.commit(applicationFiles())
    const portico = await replicas.start()
    const browser = await signIn(provider, 'ada', portico)

    const ask = async (place: string, path: string, body?: object) => {
      const response = await browser.ask(portico, `${API}/${path}`, { json: body })
      const text = await response.text()
      answers.push([place, `${JSON.stringify([...response.headers])}\n${text}`])
      return { status: response.status, text }
    }
    const promote = (name: string, value: string) =>
      ask(name, 'catalog/entities/component/shop/promotion', {
        targetLifecycle: 'development',
        overlayConfig: { replicas: 1, secrets: { FIRST: value, SECOND: `around ${value} it` } },
      })
    const scaffold = (name: string, appName: string) =>
      ask(name, 'scaffold', {
        templateId: 'service',
        appName,
        team: 'payments',
        namespace: 'payments',
      })
    const freshCanary = (name: string): string => {
      const value = makeCanary(name)
      canaries.set(name, value)
      return value
    }

    for (const [name, failing] of failures) {
      passage = failing
      const { status, text } = await promote(name, freshCanary(`value, ${name}`))
      if (status < 400) throw new Error(`${name}: ${status} ${text}`)
    }
    passage = quoting(403)
    expect((await scaffold('a scaffold that fails', 'refund-api')).text).toContain('event: failed')
    passage = (_request, forward) => forward()
    expect((await promote('too large', freshCanary('too large').padEnd(40_000))).status).toBe(422)
    expect((await scaffold('a scaffold', 'invoice-api')).text).toContain('event: done')
    expect((await promote('a promotion', freshCanary('value'))).status).toBe(201)
    // The last, since a refused login stands for a while.
    passage = loggedOut
    const refused = await promote('a refused login', freshCanary('value, a refused login'))
    expect(refused.status).toBe(502)
    await ask('audit', 'audit?team=payments&limit=200')
    await ask('runs', 'scaffold')
    const metrics = await fetch(`http://127.0.0.1:${metricsPort}/metrics`)
    answers.push(['metrics', await metrics.text()])
    expect(answers.at(-1)?.[1]).toContain('secret_store')

    const given = await openbao.token({ policies: ['portico'] })
    canaries.set('given token', given)
    for (const status of [200, 403, 500]) {
      passage = (request) => Promise.resolve(quote(status, request))
      const checked = await runPortico(['config', 'check', '--connect'], {
        PUBLIC_URL: 'http://portal.test',
        DATA_DIR: '/nonexistent',
        SESSION_KEYS,
        GITOPS_REPOSITORY: 'acme/gitops',
        WEBHOOK_TOKEN: 'webhook-token-of-the-tests',
        SECRET_STORE: 'vault',
        VAULT_ADDR: way.url,
        VAULT_AUTH: 'token',
        VAULT_TOKEN: given,
      })
      expect(checked.stdout).toContain('FAIL  secret store')
      answers.push([`a check answered with ${status}`, checked.stdout + checked.stderr])
    }

    const { stdout, stderr } = await portico.end('SIGABRT')
    const places = [
      ...answers,
      ['standard output', stdout],
      ['standard error', stderr],
      ...(await Array.fromAsync(everythingOnDisk(replicas.directory))),
    ] as const
    expect(sightings(canaries, places)).toStrictEqual([])
    // The search would find them: the store was sent every value and every token.
    const sent = way.requests.map(({ body }) => body).join('\n')
    const seen = new Set(sightings(canaries, [['sent', sent]]).map(({ canary }) => canary))
    for (const name of canaries.keys()) {
      if (!UNSENT.some((start) => name.startsWith(start))) expect(seen).toContain(name)
    }
  },
)

test('every form of a value is found, alone and in something longer', () => {
  const value = makeCanary('a value')
  const canaries = new Map([['it', value]])
  const found = (content: string) => sightings(canaries, [['here', content]]).length > 0
  for (const form of formsOf(value).values()) expect(found(`before ${form} after`)).toBe(true)
  for (const encoding of ['base64', 'base64url', 'hex'] as const) {
    for (const before of ['', 'a', 'ab', 'abc']) {
      expect(found(Buffer.from(`${before}${value}after`).toString(encoding))).toBe(true)
    }
  }
  expect(found(encodeURIComponent(JSON.stringify(JSON.stringify(JSON.stringify(value)))))).toBe(
    true,
  )
  expect(found(makeCanary('a value'))).toBe(false)
})
