import { expect, test } from 'bun:test'
import { buildConsole } from '#src/lib/http/console/build.ts'

const one = await buildConsole()
const text = ({ raw }: { readonly raw: Uint8Array }) => new TextDecoder().decode(raw)

test('the same sources make the same names and bytes', async () => {
  const other = await buildConsole()
  expect(other.assets).toStrictEqual(one.assets)
  expect(other.document).toStrictEqual(one.document)
})

test('every file that the document or a script names is there', () => {
  const names = new Set(one.assets.map(({ name }) => name))
  const named = [one.document, ...one.assets].flatMap((file) =>
    [...text(file).matchAll(/["'(](?:\/console|\.)\/([a-z]+-[0-9a-z]{8}\.[a-z]+)["')]/g)].map(
      ([, name = '']) => name,
    ),
  )
  expect(named.length).toBeGreaterThan(4)
  expect(named.filter((name) => !names.has(name))).toStrictEqual([])
})

test('nothing in it is of this machine, of another origin or for development', () => {
  for (const asset of one.assets) {
    const content = text(asset)
    expect([asset.name, content.includes(process.cwd())]).toStrictEqual([asset.name, false])
    // Names of XML vocabularies are no addresses.
    const addresses = content.match(/https?:\/\/(?!www\.w3\.org\/|own\.invalid)[\w.-]+\.\w+/g) ?? []
    expect([asset.name, addresses]).toStrictEqual([asset.name, []])
    expect([asset.name, content.includes('jsxDEV')]).toStrictEqual([asset.name, false])
  }
})

test('the style sheets are in the scripts, for browsers of today', () => {
  const script = one.assets.find(({ name }) => name.startsWith('main-'))
  expect(script === undefined ? '' : text(script)).toContain('light-dark(')
  expect(one.assets.filter(({ name }) => name.endsWith('.css'))).toStrictEqual([])
})
