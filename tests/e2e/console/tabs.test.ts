import { describe, expect, test } from 'bun:test'
import type { BrowserContext, Page, Request } from 'playwright-core'
import { hasBrowser } from '#tests/support/browser.ts'
import { startConsole } from '#tests/support/console.ts'
import { mustHaveAll } from '#tests/support/must-have-all.ts'
import { expectClean } from '#tests/support/page-watch.ts'
import { pushFiles } from '#tests/support/push-files.ts'
import { shared } from '#tests/support/shared.ts'

/** A browser opens six connections to an HTTP/1.1 server. */
const TABS = 7
const FILE = 'catalog/payments/resources/shared-notes.yaml'
const notes = (title: string) => `apiVersion: portico/v1
kind: Resource
metadata: { name: shared-notes, title: ${title} }
spec: { type: bucket, lifecycle: production, owner: group:acme/payments }
`

/** A frozen tab keeps its lock, and tells nothing. */
const FALL_SILENT =
  'window.tell = BroadcastChannel.prototype.postMessage; BroadcastChannel.prototype.postMessage = () => {}'
const SPEAK_AGAIN = 'BroadcastChannel.prototype.postMessage = window.tell'

/** Streams of a profile that are open. */
function watchStreams(profile: BrowserContext): () => readonly Request[] {
  const open = new Set<Request>()
  profile.on('request', (request) => {
    if (new URL(request.url()).pathname === '/api/v1/events') open.add(request)
  })
  profile.on('requestfinished', (request) => open.delete(request))
  profile.on('requestfailed', (request) => open.delete(request))
  return () => [...open].filter((request) => !request.frame().page().isClosed())
}

describe.if(hasBrowser || mustHaveAll)('many tabs', () => {
  const portal = shared(startConsole)

  test('share one stream, and another tab takes over when its tab is closed', async () => {
    const profile = await portal().profile()
    const streams = watchStreams(profile)
    const tabs: Page[] = []
    for (let tab = 0; tab < TABS; tab++) tabs.push(await portal().open('/catalog', profile))
    const everywhere = (title: string) =>
      Promise.all(tabs.map((tab) => tab.getByRole('link', { name: title }).waitFor()))

    await everywhere('Payments API')
    await pushFiles(portal().url, { files: { [FILE]: notes('First notes') } })
    await everywhere('First notes')
    expect(streams()).toHaveLength(1)

    const leader = streams()[0]?.frame().page()
    if (leader === undefined) throw new Error('no tab has the stream')
    tabs.splice(tabs.indexOf(leader), 1)
    await Promise.all([profile.waitForEvent('request', isStream), leader.close()])
    await pushFiles(portal().url, { files: { [FILE]: notes('Second notes') } })
    await everywhere('Second notes')
    expect(streams()).toHaveLength(1)
    for (const tab of tabs) await expectClean(tab)
  })

  test('stay live beside one whose address names nothing', async () => {
    const profile = await portal().profile()
    const tab = await portal().open('/clusters/dev-east/payments-dev', profile)
    await tab.getByText('Live', { exact: true }).waitFor()
    const other = await portal().open('/clusters/__proto__/constructor', profile)
    await other.getByText('The request is not valid').first().waitFor()
    await tab.reload()
    await tab.getByText('Live', { exact: true }).waitFor()
  })

  test('ask for themselves when the browser has frozen the tab with the stream', async () => {
    const profile = await portal().profile()
    const streams = watchStreams(profile)
    const leader = await portal().open('/catalog', profile)
    const tab = await profile.newPage()
    await tab.clock.install()
    await tab.goto('/clusters/dev-east/payments-dev')
    await tab.getByText('Live', { exact: true }).waitFor()
    expect(streams().map((request) => request.frame().page())).toStrictEqual([leader])

    await leader.evaluate(FALL_SILENT)
    await tab.clock.runFor(120_000)
    await tab.getByText('Live', { exact: true }).waitFor({ state: 'hidden' })
    await Promise.all([
      tab.waitForResponse((answer) => answer.url().endsWith('/payments-dev/pods') && answer.ok()),
      tab.clock.runFor(6_000),
    ])
    await leader.evaluate(SPEAK_AGAIN)
    await tab.clock.runFor(30_000)
    await tab.getByText('Live', { exact: true }).waitFor()
  })
})

const isStream = (request: Request) => new URL(request.url()).pathname === '/api/v1/events'
