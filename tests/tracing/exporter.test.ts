import { afterEach, describe, expect, jest, test } from 'bun:test'
import { readConfig } from '#src/config/config.ts'
import { openPortalTracing } from '#src/compose/tracing.ts'
import { createOutages } from '#src/lib/logging/outages.ts'
import { createExporter } from '#src/lib/tracing/exporter.ts'
import { KIND, type Span } from '#src/lib/tracing/span.ts'
import { keyOf } from '#tests/support/docs-page.ts'
import { createTracer } from '#src/lib/tracing/tracer.ts'
import { until } from '#tests/support/until.ts'
import { valueOf } from '#tests/support/value-of.ts'

const SPAN: Span = {
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  spanId: '00f067aa0ba902b7',
  parentId: null,
  kind: KIND.server,
  name: 'GET /',
  startedAt: 1_790_000_000_000.125,
  endedAt: 1_790_000_000_002,
  attributes: { 'http.route': '/', 'http.response.status_code': 503 },
  failure: '503',
}

const silent = { failed: () => undefined, refused: () => undefined, worked: () => undefined }

interface Received {
  readonly path: string
  readonly authorization: string | null
  readonly body: { resourceSpans: { resource: object; scopeSpans: { spans: object[] }[] }[] }
}

function openCollector(status = () => 200) {
  const received: Received[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      received.push({
        path: new URL(request.url).pathname,
        authorization: request.headers.get('authorization'),
        body: (await request.json()) as Received['body'],
      })
      return new Response('{}', { status: status() })
    },
  })
  return {
    received,
    url: new URL('/v1/traces', server.url),
    origin: server.url,
    spans: () => received.flatMap(({ body }) => body.resourceSpans[0]?.scopeSpans[0]?.spans ?? []),
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}

function exporterTo(url: URL) {
  const outcomes: (readonly [string | null, number])[] = []
  const exporter = createExporter({
    url,
    headers: { authorization: 'Bearer t' },
    resource: { 'service.name': 'portico' },
    version: '1',
    onSent: (failure, dropped) => void outcomes.push([failure, dropped]),
  })
  return { ...exporter, outcomes }
}

describe('spans', () => {
  test('are sent as OTLP in JSON', async () => {
    await using collector = openCollector()
    const { add, close } = exporterTo(collector.url)
    add(SPAN)
    await close()
    await until(() => collector.received.length === 1)
    expect(collector.received).toStrictEqual([
      {
        path: '/v1/traces',
        authorization: 'Bearer t',
        body: {
          resourceSpans: [
            {
              resource: {
                attributes: [{ key: 'service.name', value: { stringValue: 'portico' } }],
              },
              scopeSpans: [
                {
                  scope: { name: 'portico', version: '1' },
                  spans: [
                    {
                      traceId: SPAN.traceId,
                      spanId: SPAN.spanId,
                      name: 'GET /',
                      kind: 2,
                      startTimeUnixNano: '1790000000000125000',
                      endTimeUnixNano: '1790000000002000000',
                      attributes: [
                        { key: 'http.route', value: { stringValue: '/' } },
                        { key: 'http.response.status_code', value: { intValue: '503' } },
                        { key: 'error.type', value: { stringValue: '503' } },
                      ],
                      status: { code: 2 },
                    },
                  ],
                },
              ],
            },
          ],
        },
      } as unknown as Received,
    ])
  })

  test('go in batches, without waiting for the clock when there are many', async () => {
    await using collector = openCollector()
    const { add, close } = exporterTo(collector.url)
    for (let index = 0; index < 1_300; index += 1) add(SPAN)
    await until(() => collector.spans().length === 1_300)
    expect(collector.received.length).toBe(3)
    await close()
  })

  test('are dropped and counted while the collector is away, and the queue has an end', async () => {
    let status = 503
    await using collector = openCollector(() => status)
    const { add, close, outcomes } = exporterTo(collector.url)
    for (let index = 0; index < 512; index += 1) add(SPAN)
    await until(() => outcomes.length === 1)
    for (let index = 0; index < 10_000; index += 1) add(SPAN)
    expect(outcomes).toStrictEqual([['status 503', 512]])
    status = 200
    await close()
    await until(() => outcomes.length === 5)
    expect(outcomes.slice(1)).toStrictEqual([
      [null, 512 + 10_000 - 2_048],
      [null, 0],
      [null, 0],
      [null, 0],
    ])
  })

  describe('however long the collector is away', () => {
    afterEach(() => void jest.useRealTimers())

    test('cost the queue, and one request in five seconds', async () => {
      let asked = 0
      let status = 503
      using server = Bun.serve({
        hostname: '127.0.0.1',
        port: 0,
        fetch: () => new Response(null, { status: (asked++, status) }),
      })
      jest.useFakeTimers()
      const { add, close, outcomes } = exporterTo(server.url)
      const ticks = 24
      for (let tick = 1; tick <= ticks; tick++) {
        for (let index = 0; index < 5_000; index++) add(SPAN)
        jest.advanceTimersByTime(5_000)
        await until(() => outcomes.length >= tick)
      }
      // The first batch does not wait for the clock.
      expect([asked, outcomes.length]).toStrictEqual([ticks, ticks])
      const lost = outcomes.at(-1)?.[1] ?? 0
      status = 200
      jest.useRealTimers()
      await close()
      await until(() => outcomes.length >= ticks + 3)
      const held = asked - ticks
      expect(held).toBeLessThanOrEqual(2_048 / 512)
      expect(lost).toBeGreaterThanOrEqual(ticks * 5_000 - 2_048)
    })

    test('no request waits for them', async () => {
      let asked = 0
      const silence = Promise.withResolvers<Response>()
      using server = Bun.serve({
        hostname: '127.0.0.1',
        port: 0,
        fetch: () => (asked++, silence.promise),
      })
      const { add, outcomes } = exporterTo(server.url)
      const tracer = createTracer({ followsParent: false, share: 1 }, add)
      const answer = tracer.fetch(() => new Response(), ['/'])
      for (let index = 0; index < 5_000; index++) {
        await answer(new Request('http://portal.test/'), null)
      }
      await until(() => asked === 1)
      expect(outcomes).toStrictEqual([])
      silence.resolve(new Response())
    })
  })

  test('do not hold the end of the process', async () => {
    const { promise: never, resolve } = Promise.withResolvers<Response>()
    using server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => never })
    const { add, close, outcomes } = exporterTo(server.url)
    add(SPAN)
    await close()
    await until(() => outcomes.length === 1)
    expect(outcomes).toStrictEqual([['no answer', 1]])
    resolve(new Response())
  })
})

describe('the settings', () => {
  const read = (more: Readonly<Record<string, string>>) =>
    readConfig(
      {
        PUBLIC_URL: 'http://portal.test',
        GITOPS_REPOSITORY: 'acme/gitops',
        SESSION_KEYS: keyOf(1),
        SECRET_STORE_KEYS: keyOf(2),
        ...more,
      },
      () => '',
    )

  test.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://a.test/?q=1'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://user:password@a.test/'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%zz'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=b%0Ac'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%E2%82%AC'],
    ['OTEL_TRACES_SAMPLER', 'sometimes'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
  ])('%s is not %s', (variable, text) => {
    expect(read({ [variable]: text })).toMatchObject({ ok: false, error: [{ variable }] })
  })

  test('have headers as Grafana Cloud shows them, with a space', () => {
    const text = 'Authorization=Basic MTI6Zw== , x-tenant= a , x-none=,x-encoded=a%20b'
    expect(valueOf(read({ OTEL_EXPORTER_OTLP_HEADERS: text }))).toMatchObject({
      OTEL_EXPORTER_OTLP_HEADERS: {
        authorization: 'Basic MTI6Zw==',
        'x-tenant': 'a',
        'x-none': '',
        'x-encoded': 'a b',
      },
    })
  })

  test('name the collector, the service and the sampler', async () => {
    await using collector = openCollector()
    const config = valueOf(
      read({
        OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.origin.origin}/otlp/`,
        OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20t,x-tenant=a',
        OTEL_SERVICE_NAME: 'portal',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=staging,owner=%E2%82%AC',
        OTEL_TRACES_SAMPLER: 'traceidratio',
        OTEL_TRACES_SAMPLER_ARG: '1',
      }),
    )
    const tracing = await openPortalTracing(config, silent)
    const answer = tracing.fetch(() => new Response(), ['/'])
    await answer(new Request('http://portal.test/'), { requestIP: () => null })
    await tracing.close()
    await until(() => collector.received.length === 1)
    expect(collector.received).toMatchObject([
      { path: '/otlp/v1/traces', authorization: 'Bearer t' },
    ])
    const text = JSON.stringify(collector.received[0]?.body.resourceSpans[0]?.resource)
    expect(text).toContain('portal')
    expect(text).toContain('staging')
  })

  test('have the meanings of the specification when they are empty', () => {
    const names = [
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'OTEL_EXPORTER_OTLP_HEADERS',
      'OTEL_SERVICE_NAME',
      'OTEL_RESOURCE_ATTRIBUTES',
      'OTEL_TRACES_SAMPLER',
      'OTEL_TRACES_SAMPLER_ARG',
      'OTEL_SDK_DISABLED',
    ]
    const settingsOf = (config: ReturnType<typeof read>) =>
      config.ok && Object.entries(config.value).filter(([name]) => names.includes(name))
    const empty = read(Object.fromEntries(names.map((name) => [name, ''])))
    expect(settingsOf(empty)).toStrictEqual(settingsOf(read({})))
  })

  test.each([
    [{}, 'portico'],
    [{ OTEL_RESOURCE_ATTRIBUTES: 'service.name=by-attribute' }, 'by-attribute'],
    [
      { OTEL_RESOURCE_ATTRIBUTES: 'service.name=by-attribute', OTEL_SERVICE_NAME: 'by-name' },
      'by-name',
    ],
  ])('name the service: %p is %s', async (more, name) => {
    await using collector = openCollector()
    const config = valueOf(read({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin.origin, ...more }))
    const tracing = await openPortalTracing(config, silent)
    const answer = tracing.fetch(() => new Response(), ['/'])
    await answer(new Request('http://portal.test/'), { requestIP: () => null })
    await tracing.close()
    await until(() => collector.received.length === 1)
    expect(collector.received[0]?.body.resourceSpans[0]?.resource).toMatchObject({
      attributes: expect.arrayContaining([{ key: 'service.name', value: { stringValue: name } }]),
    })
  })

  test('have log lines for an outage of the collector, and for the spans that it cost', async () => {
    let status = 503
    await using collector = openCollector(() => status)
    const config = valueOf(read({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin.origin }))
    const lines: unknown[] = []
    const line = (facts: object, text?: unknown) => void lines.push([text, facts])
    const log = { info: line, warn: line, error: line }
    const outages = createOutages({ clock: { now: () => 0 }, log })
    const tracing = await openPortalTracing(config, outages)
    const answer = tracing.fetch(() => new Response(), ['/'])
    const peers = { requestIP: () => null }
    const request = new Request('http://portal.test/')
    for (let index = 0; index < 512; index += 1) await answer(request, peers)
    await until(() => lines.length === 1)
    status = 200
    await answer(request, peers)
    await tracing.close()
    await until(() => lines.length === 3)
    expect(lines).toStrictEqual([
      ['traces are dropped', { failure: 'status 503' }],
      ['the collector of traces works again', { lastedMs: 0, failures: 1 }],
      ['spans were dropped', { dropped: 512 }],
    ])
  })

  test.each([{}, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a.test', OTEL_SDK_DISABLED: 'true' }])(
    'leave everything as it is: %p',
    async (more) => {
      const config = valueOf(read(more))
      const tracing = await openPortalTracing(config, silent)
      const port = {}
      expect(tracing.port('git_host', port)).toBe(port)
      const answer = () => new Response()
      expect(tracing.fetch(answer, [])).toBe(answer)
    },
  )
})
