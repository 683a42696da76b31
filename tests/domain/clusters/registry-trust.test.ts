import { describe, expect, test } from 'bun:test'
import { ONE, TWO } from './authorities.ts'
import { clustersOf, fileOf, type Members, mistakesOf, readFile } from './registry-file.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const folded = (text: string): string =>
  `>\n      ${base64(text).replaceAll(/.{64}/g, '$&\n      ')}`
const trusting = (trust: Members) => fileOf({ systemRoots: null, ...trust })
const trustOf = (trust: Members) => clustersOf(trusting(trust))[0]?.trust
const ONE_AUTHORITY = { kind: 'authority', pem: ONE } as const
const ONLY_ONE = 'only one of caFile, caData and systemRoots may be there'

describe('a cluster is trusted by', () => {
  test('a file', () => {
    expect(trustOf({ caFile: 'one.pem' })).toStrictEqual(ONE_AUTHORITY)
  })
  test('data', () => {
    expect(trustOf({ caData: base64(ONE) })).toStrictEqual(ONE_AUTHORITY)
  })
  test('data of several lines', () => {
    expect(trustOf({ caData: folded(ONE) })).toStrictEqual(ONE_AUTHORITY)
  })
  test('several authorities', () => {
    expect(trustOf({ caData: base64(`${ONE}\n${TWO}`) })).toStrictEqual({
      kind: 'authority',
      pem: ONE + TWO,
    })
  })
  test('the roots of the system, if they are asked for', () => {
    expect(trustOf({ systemRoots: 'true' })).toStrictEqual({ kind: 'system_roots' })
  })
})

describe('a cluster is not trusted by', () => {
  // prettier-ignore
  test.each<[string, Members, readonly string[]]>([
    ['nothing',                        {},                                             ['3:5 clusters[0]: caFile, caData or systemRoots: true is missing']],
    ['roots that are not asked for',   { systemRoots: 'false' },                       ['6:18 clusters[0].systemRoots: must be true, or not be there']],
    ['roots that are half asked for',  { systemRoots: '"true"' },                      ['6:18 clusters[0].systemRoots: must be true, or not be there']],
    ['a file that is not there',       { caFile: 'absent.pem' },                       ['7:13 clusters[0].caFile: cannot be read: no such file']],
    ['a file without a name',          { caFile: '""' },                               ['7:13 clusters[0].caFile: must be one line of text']],
    ['a file that is a number',        { caFile: '1' },                                ['7:13 clusters[0].caFile: must be one line of text']],
    ['a file with a NUL in its name',  { caFile: '"a\\0b"' },                          ['7:13 clusters[0].caFile: must be one line of text']],
    ['a file with something else',     { caFile: 'junk.pem' },                         ['7:13 clusters[0].caFile: holds no PEM certificate']],
    ['nothing as a file',              { caFile: 'null' },                             ['7:13 clusters[0].caFile: must be one line of text']],
    ['data that is not base64',        { caData: '"@@@@"' },                           ['7:13 clusters[0].caData: must be base64']],
    ['data that is PEM itself',        { caData: `|\n      ${ONE.replaceAll('\n', '\n      ')}` }, ['8:1 clusters[0].caData: must be base64']],
    ['data that is cut off',           { caData: base64(ONE).slice(0, -100) },         ['7:13 clusters[0].caData: is not PEM']],
    ['data that is DER',               { caData: ONE.replaceAll(/-----.*-----|\n/g, '') }, ['7:13 clusters[0].caData: holds no PEM certificate']],
    ['no data',                        { caData: '""' },                               ['7:13 clusters[0].caData: holds no PEM certificate']],
    ['data that is a number',          { caData: '1234' },                             ['7:13 clusters[0].caData: must be text']],
    ['a file and data',                { caFile: 'one.pem', caData: base64(ONE) },     [`8:13 clusters[0].caData: ${ONLY_ONE}`]],
    ['a file and the roots',           { caFile: 'one.pem', systemRoots: 'true' },     [`6:18 clusters[0].systemRoots: ${ONLY_ONE}`]],
    ['all three, and each is wrong',   { caFile: 'absent.pem', caData: 'x', systemRoots: 'false' }, ['6:18 clusters[0].systemRoots: must be true, or not be there', '8:13 clusters[0].caFile: cannot be read: no such file', `9:13 clusters[0].caData: ${ONLY_ONE}`, '9:13 clusters[0].caData: must be base64']],
  ])('%s', (_, trust, mistakes) => {
    expect(mistakesOf(trusting(trust))).toStrictEqual(mistakes)
  })

  test('what is not good yet, or no more', () => {
    const text = trusting({ caFile: 'two.pem' })
    expect(mistakesOf(text, readFile, Date.parse('2026-11-21T14:16:31Z'))).toStrictEqual([
      '7:13 clusters[0].caFile: the certificate is not valid before 2026-11-21T14:16:32.000Z',
    ])
    expect(mistakesOf(text, readFile, Date.parse('2026-12-21T14:16:33Z'))).toStrictEqual([
      '7:13 clusters[0].caFile: the certificate expired on 2026-12-21T14:16:32.000Z',
    ])
  })

  test('a private key, of which not a word is repeated', () => {
    const key = ['BEGIN', 'END']
      .map((edge) => `-----${edge} EC PRIVATE KEY-----\n`)
      .join('hunter2\n')
    const mistakes = mistakesOf(trusting({ caData: base64(ONE + key) }))
    expect(mistakes).toStrictEqual([
      '7:13 clusters[0].caData: holds a private key, which belongs to nobody who only verifies',
    ])
  })
})
