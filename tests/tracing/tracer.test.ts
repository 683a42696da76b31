import { describe, expect, test } from 'bun:test'
import { err, ok } from '#src/lib/result.ts'
import { inSpan, KIND, type Span } from '#src/lib/tracing/span.ts'
import { createTracer, type Sampling } from '#src/lib/tracing/tracer.ts'

const ROUTES = ['/healthz', '/readyz', '/api/v1/catalog/entities/:kind/:name', '/mcp']
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const ALWAYS: Sampling = { followsParent: true, share: 1 }

function open(sampling = ALWAYS) {
  const spans: Span[] = []
  const tracer = createTracer(sampling, (span) => spans.push(span))
  const host = tracer.port('git_host', {
    head: async (name: string) => ok(name),
    refuse: async () => err({ kind: 'git_denied', what: 'canary-path' }),
    crash: () => Promise.reject(new Error('canary-message')),
  })
  const answer = tracer.fetch(async (request: Request) => {
    const { pathname } = new URL(request.url)
    const headers = { 'x-request-id': 'request-1' }
    if (pathname.endsWith('/broken')) throw new Error('canary-message')
    if (pathname.endsWith('/down')) return new Response('', { status: 503, headers })
    if (pathname === '/run') {
      void Bun.sleep(0).then(() => inSpan('a run', {}, () => host.head('canary')))
      return new Response('', { headers })
    }
    if (pathname === '/mcp') {
      await inSpan('tools/call whoami', { 'gen_ai.tool.name': 'whoami' }, () => host.head('canary'))
      return new Response('', { headers })
    }
    await host.head('canary-argument')
    await host.refuse()
    await host.crash().catch(() => undefined)
    return new Response('', { headers })
  }, ROUTES)
  const ask = (path: string, more: RequestInit = {}) =>
    Promise.resolve(answer(new Request(`http://portal.test${path}`, more), null))
  return { spans, host, ask }
}

const ENTITY = '/api/v1/catalog/entities/component/canary-name?q=canary-query'

describe('a traced request', () => {
  test('has a span for itself and for each call, and nothing of its content', async () => {
    const { spans, ask } = open()
    await ask(ENTITY, { headers: { authorization: 'Bearer canary-token' } })
    const server = spans.at(-1)
    expect(server).toMatchObject({
      kind: KIND.server,
      name: 'GET /api/v1/catalog/entities/:kind/:name',
      parentId: null,
      attributes: {
        'http.request.method': 'GET',
        'http.route': '/api/v1/catalog/entities/:kind/:name',
        'http.response.status_code': 200,
        'portico.request_id': 'request-1',
      },
      failure: null,
    })
    expect(
      spans.slice(0, -1).map(({ name, kind, failure }) => [name, kind, failure]),
    ).toStrictEqual([
      ['git_host head', KIND.client, null],
      ['git_host refuse', KIND.client, 'git_denied'],
      ['git_host crash', KIND.client, 'thrown'],
    ])
    for (const span of spans) {
      expect(span.traceId).toBe(server?.traceId ?? '')
      expect(span.spanId).toMatch(/^[\da-f]{16}$/)
      expect(span.endedAt).toBeGreaterThanOrEqual(span.startedAt)
      if (span !== server) expect(span.parentId).toBe(server?.spanId ?? '')
    }
    expect(JSON.stringify(spans)).not.toContain('canary')
  })

  test('says that it failed, and that the application broke', async () => {
    const { spans, ask } = open()
    await ask('/down')
    expect(ask('/broken')).rejects.toThrow()
    await Bun.sleep(0)
    expect(spans.map(({ name, failure }) => [name, failure])).toStrictEqual([
      ['GET', '503'],
      ['GET', '500'],
    ])
    expect(JSON.stringify(spans)).not.toContain('/down')
  })

  test('has the tools of agents between, and no method that a client made up', async () => {
    const { spans, ask } = open()
    await ask('/mcp', { method: 'PURGE' })
    const [call, tool, server] = spans
    expect([tool?.name, tool?.kind, tool?.parentId]).toStrictEqual([
      'tools/call whoami',
      KIND.internal,
      server?.spanId ?? '',
    ])
    expect(call?.parentId).toBe(tool?.spanId ?? '')
    expect([server?.name, server?.attributes['http.request.method']]).toStrictEqual([
      'HTTP /mcp',
      '_OTHER',
    ])
  })

  test('is no probe, no work of the service itself, and none that goes on after the answer', async () => {
    const { spans, host, ask } = open()
    await ask('/run')
    await Bun.sleep(1)
    expect(spans.splice(0).map(({ name }) => name)).toStrictEqual(['GET'])
    await ask('/healthz')
    await ask('/readyz')
    await host.head('')
    await inSpan('nobody asked', {}, async () => {})
    expect(spans).toStrictEqual([])
  })
})

describe('which requests are traced', () => {
  const parent = (flags: string, id = TRACE) => ({
    traceparent: `00-${id}-00f067aa0ba902b7-${flags}`,
  })
  const LOW = `${'a'.repeat(18)}00000000000001`
  const HIGH = `${'a'.repeat(18)}ffffffffffffff`
  test.each<[string, Sampling, Record<string, string>, boolean]>([
    ['all, without a parent', ALWAYS, {}, true],
    ['a parent that is recorded', { followsParent: true, share: 0 }, parent('01'), true],
    ['a parent that is not', ALWAYS, parent('00'), false],
    ['none, without a parent', { followsParent: true, share: 0 }, {}, false],
    ['a broken parent, which is none', ALWAYS, { traceparent: '00-0-0-00' }, true],
    ['whatever the parent says', { followsParent: false, share: 1 }, parent('00'), true],
    ['a share, by the id: in it', { followsParent: false, share: 0.5 }, parent('00', LOW), true],
    [
      'a share, by the id: outside',
      { followsParent: false, share: 0.5 },
      parent('01', HIGH),
      false,
    ],
  ])('%s', async (_, sampling, headers, isTraced) => {
    const { spans, ask } = open(sampling)
    await ask('/down', { headers })
    expect(spans.length > 0).toBe(isTraced)
    if (isTraced && headers['traceparent']?.length === 55) {
      expect(spans[0]).toMatchObject({ parentId: '00f067aa0ba902b7' })
      expect(headers['traceparent']).toContain(spans[0]?.traceId ?? 'none')
    }
  })
})
