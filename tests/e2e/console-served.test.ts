import { expect, test } from 'bun:test'
import { startPortico } from '#tests/support/portico-process.ts'
import { folderOfTests } from '#tests/support/folder-of-tests.ts'

const folder = folderOfTests()

test('the program serves its console, whole and compressed', async () => {
  await using portico = await startPortico(['demo'], { PORT: '0', DATA_DIR: folder })
  const page = await fetch(`${portico.url}/entities/component/payments-api`)
  expect(page.status).toBe(200)
  const document = await page.text()
  const names = [...document.matchAll(/"(\/console\/[^"]+)"/g)].map(([, name]) => name ?? '')
  expect(names.length).toBeGreaterThan(2)
  for (const name of names) {
    const codings = ['identity', 'gzip', 'br'].map(async (coding) => {
      const asset = await fetch(portico.url + name, { headers: { 'accept-encoding': coding } })
      expect([name, asset.status]).toStrictEqual([name, 200])
      expect(asset.headers.get('content-encoding') ?? 'identity').toBe(coding)
      return asset.text()
    })
    const [plain = '', ...unpacked] = await Promise.all(codings)
    expect(plain).not.toBe('')
    for (const text of unpacked) expect(text).toBe(plain)
  }
})

test('and none with CONSOLE=off', async () => {
  const variables = { PORT: '0', DATA_DIR: folder, CONSOLE: 'off' }
  await using portico = await startPortico(['demo'], variables)
  const start = await fetch(portico.url, { redirect: 'manual' })
  expect([start.status, start.headers.get('location')]).toStrictEqual([302, '/dev'])
  expect((await fetch(`${portico.url}/catalog`)).status).toBe(404)
})
