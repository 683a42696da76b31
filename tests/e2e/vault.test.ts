import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ada, type OidcPeer, startOidcPeer } from '#tests/peers/oidc-provider.ts'
import { type HttpProxy, startHttpProxy } from '#tests/peers/http-proxy.ts'
import { openbaoProgram, type RaftOpenBao, startRaftOpenBao } from '#tests/peers/openbao.ts'
import { applicationFiles } from '#tests/support/application.ts'
import { allEvents, eventsOf, type ReceivedEvent, storyOf } from '#tests/support/event-stream.ts'
import { type PorticoProcess } from '#tests/support/portico-process.ts'
import {
  openReplicas,
  type ReplicaBrowser,
  type Replicas,
  signIn,
} from '#tests/support/replicas.ts'
import { letPorticoIn } from '#tests/support/vault-login.ts'

const API = '/api/v1'
const PROMOTION = `${API}/catalog/entities/component/shop/promotion`
const SECRETS = Object.fromEntries(
  Array.from({ length: 10 }, (_, index) => [`KEY_${index}`, `value of ${index} ⚙`]),
)

describe.skipIf(openbaoProgram === null)('the whole way with OpenBao', () => {
  let openbao: RaftOpenBao
  let way: HttpProxy
  let sealAtNextLook = false
  let provider: OidcPeer
  let replicas: Replicas
  let portico: PorticoProcess
  let browser: ReplicaBrowser
  let settings: Readonly<Record<string, string>>
  /** A run that the sealed store has interrupted. */
  let waiting: AsyncGenerator<ReceivedEvent, void, void>

  beforeAll(async () => {
    openbao = await startRaftOpenBao()
    way = startHttpProxy(openbao.url, async ({ path }, forward) => {
      if (sealAtNextLook && path.includes('/subkeys/')) {
        sealAtNextLook = false
        await openbao.seal()
      }
      return forward()
    })
    provider = await startOidcPeer({ people: [ada], publicUrl: 'http://portal.test' })
    const login = await letPorticoIn(openbao)
    settings = { ...provider.settings, ...login.settings, VAULT_ADDR: way.url }
    replicas = await openReplicas(settings)
    await replicas.commit(applicationFiles())
    portico = await replicas.start()
    browser = await signIn(provider, 'ada', portico)
  })
  afterAll(async () => {
    await replicas[Symbol.asyncDispose]()
    await provider[Symbol.asyncDispose]()
    way[Symbol.dispose]()
    await openbao[Symbol.asyncDispose]()
  })

  const post = (path: string, body: object) => browser.ask(portico, path, { json: body })
  const scaffold = (appName: string) =>
    post(`${API}/scaffold`, {
      templateId: 'service',
      appName,
      team: 'payments',
      namespace: 'payments',
    })
  const promote = async (secrets: Readonly<Record<string, string>>) => {
    const response = await post(PROMOTION, {
      targetLifecycle: 'development',
      overlayConfig: { replicas: 1, secrets },
    })
    return { status: response.status, text: await response.text() }
  }
  /** The requests to the store since the last call, without those of the run that waits. */
  const requestsForShop = () => way.take().filter((line) => line.includes('/shop/'))
  const entry = async (app: string) => {
    const { json } = await openbao.request('GET', `secret/data/payments/${app}/dev/env`)
    return json
  }

  test('sealed in the middle of a run: the run waits, and a promotion is refused', async () => {
    sealAtNextLook = true
    waiting = eventsOf(await scaffold('invoice-api'))
    let last = await waiting.next()
    while (!JSON.stringify(last.value ?? 'sealed').includes('sealed')) last = await waiting.next()
    expect(last.value).toMatchObject({ data: { step: 'create_secret', status: 'in_progress' } })
    const refused = await promote(SECRETS)
    expect(refused.status).toBe(503)
    expect(refused.text).toContain('"secret_store_sealed"')
    await openbao.unseal()
  })

  test('a new project has an empty entry that names its origin', async () => {
    const events = await allEvents(await scaffold('refund-api'))
    expect(storyOf(events)).toContain('create_secret complete')
    expect(storyOf(events).at(-1)).toBe('done')
    expect(await entry('refund-api')).toMatchObject({
      data: {
        data: {},
        metadata: {
          version: 1,
          custom_metadata: {
            'managed-by': 'portico',
            team: 'payments',
            app: 'refund-api',
            environment: 'dev',
            run: events.at(-1)?.data['runId'],
          },
        },
      },
    })
  })

  test('secrets of a promotion are at the path, and in no answer', async () => {
    way.take()
    const made = await promote(SECRETS)
    expect(made).toMatchObject({ status: 201 })
    expect(made.text).not.toContain('value of')
    expect(requestsForShop()).toStrictEqual([
      'GET /v1/secret/subkeys/payments/shop/dev/env?depth=1',
      'POST /v1/secret/data/payments/shop/dev/env',
      'PATCH /v1/secret/metadata/payments/shop/dev/env',
    ])
    expect(await entry('shop')).toMatchObject({ data: { data: SECRETS, metadata: { version: 1 } } })

    expect(await promote({ LATER: 'value of later' })).toMatchObject({ status: 200 })
    expect(requestsForShop()).toStrictEqual([
      'GET /v1/secret/subkeys/payments/shop/dev/env?depth=1',
      'PATCH /v1/secret/data/payments/shop/dev/env',
    ])
    expect(await entry('shop')).toMatchObject({
      data: { data: { ...SECRETS, LATER: 'value of later' }, metadata: { version: 2 } },
    })
  })

  test('the run goes on after the store was unsealed', async () => {
    const events = await Array.fromAsync(waiting)
    expect(storyOf(events).at(-1)).toBe('done')
    expect(await entry('invoice-api')).toMatchObject({
      data: { metadata: { version: 1, custom_metadata: { run: events.at(-1)?.data['runId'] } } },
    })
  })
})
