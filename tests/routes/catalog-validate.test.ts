import { expect, test } from 'bun:test'
import { component, openPortal, type Person, type TestPortal } from '#tests/support/portal.ts'

const validate = (portal: TestPortal, as: Person) =>
  portal.request('/api/v1/catalog/validate', {
    as,
    method: 'POST',
    body: component('checked'),
    headers: { 'content-type': 'application/yaml' },
  })

/** The threads that get requests, while the work is done. */
async function threadsOf(work: () => Promise<void>): Promise<ReadonlySet<Worker>> {
  const RealWorker = globalThis.Worker
  const threads = new Set<Worker>()
  globalThis.Worker = class extends RealWorker {
    override postMessage(message: unknown, transfer: never) {
      threads.add(this)
      super.postMessage(message, transfer)
    }
  }
  try {
    await work()
  } finally {
    globalThis.Worker = RealWorker
  }
  return threads
}

test('loads of the catalog and validations have a thread of their own', async () => {
  await using portal = await openPortal()
  const threads = await threadsOf(async () => {
    await portal.request('/api/v1/catalog/entities', { as: 'dev' })
    expect((await validate(portal, 'dev')).status).toBe(200)
    expect((await validate(portal, 'manager')).status).toBe(200)
  })
  expect(threads.size).toBe(2)
})

test('of a flood of one person some are refused, and nobody else is', async () => {
  await using portal = await openPortal()
  for (const person of ['outsider', 'dev'] as const) await portal.signIn(person)
  const flood = Array.from({ length: 20 }, async () => {
    const { status, headers } = await validate(portal, 'outsider')
    if (status === 429) expect(headers.get('retry-after')).not.toBeNull()
    return status
  })
  expect((await validate(portal, 'dev')).status).toBe(200)
  const refused = (await Promise.all(flood)).filter((status) => status === 429)
  // Places become free while the last of the flood arrive; `tests/domain/catalog/validations.test.ts` counts them.
  expect(refused.length).toBeGreaterThan(0)
  expect(refused.length).toBeLessThan(20)
})
