import { expect, test } from 'bun:test'
import { currentPerson } from '#src/lib/concurrency/on-behalf-of.ts'
import type { Admission } from '#src/lib/http/admission.ts'
import { ok } from '#src/lib/result.ts'
import { createEdge, type EdgeOptions } from '#src/lib/http/edge.ts'

const PUBLIC_URL = new URL('http://portal.test')

/** The persons for whom requests from these addresses were admitted, found a session and were answered. */
async function personsOf(addresses: readonly string[]) {
  const seen: (readonly [string, string | null])[] = []
  const admission: Admission = {
    enter(person) {
      seen.push(['admitted', person])
      return true
    },
    wait: async () => true,
    leave: () => {},
  }
  const sessions: EdgeOptions['sessions'] = {
    resolve() {
      seen.push(['looked up', currentPerson()])
      return { kind: 'invalid' }
    },
  }
  let at = 0
  const edge = createEdge({
    route() {
      seen.push(['answered', currentPerson()])
      return new Response()
    },
    sessions,
    claims: { recent: async (session) => ok(session) },
    scopeOf: () => undefined,
    admission,
    publicUrl: PUBLIC_URL,
    hasConsole: false,
    allowedHosts: [],
    trustedOrigins: [],
    clientAddress: () => addresses[at++] ?? null,
    access: { record: () => {} },
    log: { error: () => {} },
  })
  const headers = { host: PUBLIC_URL.host, cookie: `portal_session=${'a'.repeat(43)}` }
  for (let request = 0; request < addresses.length; request += 1) {
    await edge(new Request(PUBLIC_URL.href, { headers }))
  }
  return seen
}

test('who is not known is told from others by the addresses of their connection: those of a /64 are one', async () => {
  const seen = await personsOf(['2001:db8::1', '2001:db8::ffff', '192.0.2.7'])
  const network = ['2001:db8::/64', '2001:db8::/64', '192.0.2.7']
  expect(seen).toStrictEqual(
    network.flatMap((person) =>
      ['looked up', 'admitted', 'answered'].map((what) => [what, person] as const),
    ),
  )
})
