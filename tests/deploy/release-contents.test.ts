import { describe, expect, test } from 'bun:test'
import { contentsOf, packageOf } from '#scripts/release/contents.ts'
import { type LockedPackage, parseLock, productionClosure } from '#scripts/release/lock.ts'
import { sbomOf } from '#scripts/release/sbom.ts'
import { refusalOf } from './refusal.ts'

const DIGEST = Buffer.alloc(64, 0xab)
const integrity = `sha512-${DIGEST.toString('base64')}`

const LOCK = `{
  "lockfileVersion": 2,
  "workspaces": {
    "": { "dependencies": { "web": "1", "@org/yaml": "^2", "twin": "1" }, "devDependencies": { "lint": "1" } },
  },
  "packages": {
    "web": ["web@1.0.0", "", { "dependencies": { "lib": "^1" }, "peerDependencies": { "types": "*", "absent": "*" }, "optionalPeers": ["types", "absent"] }, "${integrity}"],
    "@org/yaml": ["@org/yaml@2.1.0", "", { "dependencies": { "lib": "^2", "@org/deep": "1" } }, "${integrity}"],
    "@org/yaml/lib": ["lib@2.0.0", "", {}, "${integrity}"],
    "@org/yaml/@org/deep": ["@org/deep@1.0.0", "", { "dependencies": { "lib": "^2" } }, "${integrity}"],
    "lib": ["lib@1.5.0", "", { "optionalDependencies": { "web": "1" } }, "${integrity}"],
    "twin": ["twin@1.0.0", "", { "dependencies": { "lib": "1.5.0" } }, "${integrity}"],
    "twin/lib": ["lib@1.5.0", "", { "optionalDependencies": { "web": "1" } }, "${integrity}"],
    "types": ["types@3.0.0", "", {}, "${integrity}"],
    "lint": ["lint@1.0.0", "", { "bin": { "lint": "lint.js" } }, "${integrity}"],
  }
}`

const lock = parseLock(LOCK)

describe('the lock', () => {
  test('says what is installed where, and what it needs', () => {
    expect(lock.direct).toStrictEqual(['web', '@org/yaml', 'twin'])
    expect(Object.fromEntries([...lock.packages].map(([key, { needs }]) => [key, needs])))
      // prettier-ignore
      .toStrictEqual({
        web: ['lib', 'types'],
        '@org/yaml': ['@org/yaml/lib', '@org/yaml/@org/deep'],
        '@org/yaml/lib': [],
        '@org/yaml/@org/deep': ['@org/yaml/lib'],
        lib: ['web'],
        twin: ['twin/lib'],
        'twin/lib': ['web'],
        types: [],
        lint: [],
      })
    expect(lock.packages.get('@org/yaml')).toMatchObject({ name: '@org/yaml', version: '2.1.0' })
  })

  test('has what is installed for production, and not what is for development', () => {
    const closure = productionClosure(lock)
    const others = [...lock.packages.keys()].filter((key) => !closure.has(key))
    expect(others).toStrictEqual(['lint'])
  })

  test.each([
    ['another version of the format', LOCK.replace('"lockfileVersion": 2', '"lockfileVersion": 3')],
    ['a package without a digest', LOCK.replace(integrity, '')],
  ])('is not %s', (_, text) => {
    expect(() => parseLock(text)).toThrow()
  })

  test('of Portico can be read', async () => {
    const { direct, packages } = parseLock(await Bun.file('bun.lock').text())
    const { dependencies } = (await Bun.file('package.json').json()) as { dependencies: object }
    expect(direct).toStrictEqual(Object.keys(dependencies))
    expect(productionClosure({ direct, packages }).size).toBeGreaterThan(direct.length)
  })

  test('of Portico has no install script in production, and nothing that reports installations', async () => {
    const text = await Bun.file('bun.lock').text()
    const { direct, packages } = parseLock(text)
    const closure = productionClosure({ direct, packages })
    const scripted = [...text.matchAll(/^ {4}"([^"]+)": \[.*"hasInstallScript": true/gm)]
    expect(scripted.filter(([, key = '']) => closure.has(key))).toStrictEqual([])
    const names = [...closure].map((key) => packages.get(key)?.name)
    expect(names.filter((name) => name?.startsWith('@scarf/'))).toStrictEqual([])
  })
})

test.each([
  ['src/main.ts', undefined],
  ['node_modules/pino/lib/proto.js', 'pino'],
  ['../../checkout/node_modules/@org/yaml/index.js', '@org/yaml'],
  ['node_modules/@org/yaml/node_modules/@org/deep/lib/a.js', '@org/yaml/@org/deep'],
])('the module %s is of the package %p', (module, key) => {
  expect(packageOf(module)).toBe(key)
})

describe('what is in the executable', () => {
  const real = async () => parseLock(await Bun.file('bun.lock').text())

  test('has its licence', async () => {
    const contents = await contentsOf(['src/main.ts', 'node_modules/diff/a.js'], await real())
    expect([...contents].map(([key, { licence }]) => [key, licence])).toStrictEqual([
      ['diff', 'BSD-3-Clause'],
    ])
  })

  test.each([
    ['a package for development', 'node_modules/knip/index.js'],
    ['a package that nobody locked', 'node_modules/left-pad/index.js'],
  ])('is not %s', async (_, module) => {
    const refusal = await refusalOf(contentsOf([module], await real()))
    expect(refusal).toEndWith('is in the executable, and not locked for production')
  })

  test('is what is locked', async () => {
    const { direct, packages } = await real()
    const diff = packages.get('diff')
    if (diff === undefined) throw new Error('no diff')
    const other = {
      direct,
      packages: new Map([...packages, ['diff', { ...diff, version: '1.0.0' }]]),
    }
    expect(await refusalOf(contentsOf(['node_modules/diff/a.js'], other))).toBe(
      'node_modules/diff is diff 8.0.4, and diff 1.0.0 is locked',
    )
  })
})

describe('the SBOM', () => {
  const licensed = (locked: LockedPackage, licence = 'MIT') => ({ ...locked, licence })
  const bun = {
    name: '@oven/bun-linux-x64',
    version: '1.4.5',
    integrity,
    needs: [],
    licence: 'MIT',
  }
  const contents = {
    version: '1.2.3',
    licence: 'Apache-2.0',
    origin: { commit: 'abcdef123456', committedAt: new Date('2026-11-20T08:09:10Z') },
    packages: new Map(
      [...lock.packages]
        .filter(([key]) => !['types', 'lint'].includes(key))
        .map(([key, each]) => [key, licensed(each, key === 'web' ? '(MIT OR 0BSD)' : 'MIT')]),
    ),
    direct: lock.direct,
    buns: [bun],
  }
  const sbom = sbomOf(contents)

  test('lists each package in each version once, after Bun', () => {
    expect(sbom.components.map((each) => each.purl)).toStrictEqual([
      'pkg:npm/bun@1.4.5',
      'pkg:npm/%40org/deep@1.0.0',
      'pkg:npm/%40org/yaml@2.1.0',
      'pkg:npm/lib@1.5.0',
      'pkg:npm/lib@2.0.0',
      'pkg:npm/twin@1.0.0',
      'pkg:npm/web@1.0.0',
    ])
  })

  test('says of a package what the lock and the package say', () => {
    expect(sbom.components.at(-1)).toStrictEqual({
      type: 'library',
      'bom-ref': 'pkg:npm/web@1.0.0',
      name: 'web',
      version: '1.0.0',
      purl: 'pkg:npm/web@1.0.0',
      hashes: [{ alg: 'SHA-512', content: DIGEST.toString('hex') }],
      licenses: [{ expression: '(MIT OR 0BSD)' }],
    })
  })

  test('says what needs what, of what is inside', () => {
    const needs = sbom.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn])
    // prettier-ignore
    expect(Object.fromEntries(needs) as object).toStrictEqual({
      portico: ['pkg:npm/bun@1.4.5', 'pkg:npm/%40org/yaml@2.1.0', 'pkg:npm/twin@1.0.0', 'pkg:npm/web@1.0.0'],
      'pkg:npm/%40org/deep@1.0.0': ['pkg:npm/lib@2.0.0'],
      'pkg:npm/%40org/yaml@2.1.0': ['pkg:npm/%40org/deep@1.0.0', 'pkg:npm/lib@2.0.0'],
      'pkg:npm/lib@1.5.0': ['pkg:npm/web@1.0.0'],
      'pkg:npm/lib@2.0.0': [],
      'pkg:npm/twin@1.0.0': ['pkg:npm/lib@1.5.0'],
      'pkg:npm/web@1.0.0': ['pkg:npm/lib@1.5.0'],
    })
  })

  test('is the same for the same contents, and has another number for others', () => {
    const backwards = new Map([...contents.packages].toReversed())
    expect(sbomOf({ ...contents, packages: backwards })).toStrictEqual(sbom)
    expect(sbomOf({ ...contents, version: '1.2.4' }).serialNumber).not.toBe(sbom.serialNumber)
  })
})
