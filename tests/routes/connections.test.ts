import { expect, test } from 'bun:test'
import { fails, works } from '#src/lib/ports/connection-finding.ts'
import { openPortal } from '#tests/support/portal.ts'

test('the platform team sees what works, what does not and what to do', async () => {
  await using portal = await openPortal({
    connections: [
      { name: 'git', check: async () => [works('git is here.')] },
      { name: 'git_host', check: async () => [works('It reads.'), fails('It may not write.')] },
    ],
  })
  const answer = await portal.request('/api/v1/connections', { as: 'platform' })
  expect(await answer.json()).toStrictEqual({
    checkedAt: expect.any(String),
    ok: false,
    checks: [
      { name: 'git', ok: true, findings: [works('git is here.')] },
      { name: 'git_host', ok: false, findings: [works('It reads.'), fails('It may not write.')] },
    ],
  })
})

test('nobody else sees it, and nothing is tried for them', async () => {
  let tried = 0
  await using portal = await openPortal({
    connections: [{ name: 'git', check: async () => (tried++, []) }],
  })
  for (const as of ['dev', 'manager', 'outsider'] as const) {
    const answer = await portal.request('/api/v1/connections', { as })
    expect(answer.status).toBe(403)
    expect(await answer.json()).toMatchObject({ code: 'forbidden', required: ['platform-team'] })
  }
  expect(tried).toBe(0)
})
