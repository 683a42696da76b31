import { expect, test } from 'bun:test'
import { runPortico } from '#tests/support/portico-process.ts'

const PULL = { number: 7, url: 'http://git.example/pulls/7' }
const ENVIRONMENT = {
  name: 'dev',
  lifecycle: 'development',
  state: 'live',
  image: null,
  pullRequest: null,
  proposed: null,
  runsOn: [],
}
const RUN = {
  status: 'complete',
  outcome: { status: 'pr_open', prNumber: PULL.number, prUrl: PULL.url },
  failure: null,
}

const ROW = (tag: string) => ({ image: { tag }, pullRequest: PULL })

/** A portal whose git host asks it to wait. */
function openPortal(run: object) {
  return Bun.serve({
    port: 0,
    fetch({ method, url }) {
      const { pathname } = new URL(url)
      if (method === 'POST')
        return Response.json({ runId: 'r1', status: 'running' }, { status: 202 })
      if (pathname.includes('/promotions/runs/')) return Response.json(run)
      if (pathname.endsWith('/history')) return Response.json([{ pullRequest: PULL }])
      return Response.json({ pullRequests: [], environments: [ENVIRONMENT] })
    },
  })
}

const promote = (portal: { readonly url: URL }, ...options: readonly string[]) =>
  runPortico(['promote', 'ledger', '--to', 'dev', ...options], {
    PORTICO_URL: portal.url.origin,
    PORTICO_TOKEN: 'prt_x',
  })

test('a move that goes on by itself is told, and waited for', async () => {
  using portal = openPortal(RUN)
  expect(await promote(portal)).toStrictEqual({
    exitCode: 0,
    stdout: 'The git host is slow. Run r1 goes on by itself\n',
    stderr: '',
  })
  const waited = await promote(portal, '--wait')
  expect(waited).toStrictEqual({
    exitCode: 0,
    stdout: `Opened ${PULL.url}\ndev is live\n`,
    stderr: '',
  })
  const { stdout } = await promote(portal, '--wait', '--output', 'json')
  expect(JSON.parse(stdout)).toMatchObject({ status: 'pr_open', pullRequest: PULL })
})

test('a rollback proposes what ran before, and nothing that never ran', async () => {
  const asked: unknown[] = []
  using portal = Bun.serve({
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      if (request.method === 'POST') {
        asked.push(await request.json())
        return Response.json({ status: 'pr_open', pullRequest: PULL, warnings: [], files: [] })
      }
      if (pathname.endsWith('/history')) return Response.json(['3', '2', '1'].map(ROW))
      const running = { ...ENVIRONMENT, image: { tag: '3' } }
      return Response.json({ pullRequests: [], environments: [running] })
    },
  })
  const rollback = (...options: readonly string[]) =>
    runPortico(['rollback', 'ledger', '--to', 'dev', ...options], {
      PORTICO_URL: portal.url.origin,
      PORTICO_TOKEN: 'prt_x',
    })
  const [before, never] = [await rollback(), await rollback('--image', '4')]
  expect([before.exitCode, before.stdout]).toStrictEqual([0, `Opened ${PULL.url}\n`])
  expect([never.exitCode, never.stderr]).toStrictEqual([3, 'portico: 4 never ran there\n'])
  expect(asked).toStrictEqual([
    { targetLifecycle: 'development', overlayConfig: { image: { tag: '2' } } },
  ])
})

test('a move that is refused later is a failure', async () => {
  using portal = openPortal({ ...RUN, outcome: null, failure: { message: 'You may not' } })
  const { exitCode, stderr } = await promote(portal, '--wait')
  expect([exitCode, stderr]).toStrictEqual([3, 'portico: You may not\n'])
})
