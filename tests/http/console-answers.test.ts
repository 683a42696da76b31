import { describe, expect, test } from 'bun:test'
import { createConsoleAnswers } from '#src/lib/http/console/answers.ts'
import { documentOf } from '#src/lib/http/console/build.ts'
import type { ConsoleFiles } from '#src/lib/http/console/files.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const file = (name: string) => ({
  name,
  type: 'text/plain',
  raw: bytes(`${name} raw`),
  brotli: bytes(`${name} br`),
  gzip: bytes(`${name} gzip`),
})
const FILES: ConsoleFiles = { document: file('index.html'), assets: [file('a.js')] }
const request = () => new Request('http://portal.test/')

describe('the files are read', () => {
  test('once, at the first request, however many come at the same time', async () => {
    let reads = 0
    const answers = createConsoleAnswers(async () => {
      reads += 1
      return FILES
    })
    expect(reads).toBe(0)
    await Promise.all([answers.page(request()), answers.asset(request(), 'a.js')])
    expect(await (await answers.page(request())).text()).toBe('index.html raw')
    expect(reads).toBe(1)
  })

  test('again after a failure', async () => {
    let reads = 0
    const answers = createConsoleAnswers(async () => {
      reads += 1
      if (reads === 1) throw new Error('a file does not compile')
      return FILES
    })
    expect(answers.page(request())).rejects.toThrow('does not compile')
    expect((await answers.page(request())).status).toBe(200)
  })
})

test.each(['', '__proto__', 'constructor', '../a.js', 'a.js/', 'A.JS'])(
  'there is no asset %p',
  async (name) => {
    const answers = createConsoleAnswers(async () => FILES)
    expect(await answers.asset(request(), name)).toBeUndefined()
  },
)

test.each(['page', 'missingPage'] as const)('a copy of the document: %s', async (name) => {
  const answers = createConsoleAnswers(async () => FILES)
  const etag = (await answers.page(request())).headers.get('etag') ?? ''
  for (const tag of [etag, '*']) {
    const asked = new Request(request(), { headers: { 'if-none-match': tag } })
    const { status, body } = await answers[name](asked)
    expect([status, body === null]).toStrictEqual(name === 'page' ? [304, true] : [404, false])
  }
})

describe('the document', () => {
  const parts = {
    icon: '/console/icon-1.svg',
    font: '/console/inter-1.woff2',
    script: '/console/main-1.js',
    preloads: ['/console/chunk-1.js'],
  }
  const template = `<link rel="icon" href="icon.svg" />
<link rel="preload" href="inter.woff2" />
<script type="module" src="main.tsx"></script>`

  test('names the built files', () => {
    expect(documentOf(template, parts)).toBe(`<link rel="icon" href="/console/icon-1.svg" />
<link rel="preload" href="/console/inter-1.woff2" />
    <link rel="modulepreload" href="/console/chunk-1.js" />
    <script type="module" src="/console/main-1.js"></script>`)
  })

  test.each(['icon.svg', 'inter.woff2', 'main.tsx'])('must have a place for %s', (name) => {
    expect(() => documentOf(template.replace(name, 'other'), parts)).toThrow(name)
  })
})
