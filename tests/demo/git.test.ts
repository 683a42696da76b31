import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { catalogOf, type Demo, git, openDemo } from './open-demo.ts'
import { type Folder, openFolder } from '#tests/support/open-folder.ts'

let demo: Demo
let scratch: Folder
beforeAll(async () => {
  demo = await openDemo()
  scratch = await openFolder()
})
afterAll(async () => {
  await demo[Symbol.asyncDispose]()
  await scratch[Symbol.asyncDispose]()
})

const address = (credentials: string, path = 'acme/gitops.git') =>
  `http://${credentials}${demo.host}/git/${path}`

test('what the platform team pushes is in the next answer', async () => {
  const who = await demo.signIn('dev')
  const before = await catalogOf(who)
  const clone = join(scratch.path, 'clone')
  expect(await git(scratch.path, 'clone', '-q', address('platform:demo@'), clone)).toMatchObject({
    exitCode: 0,
  })
  for (const round of ['first', 'second', 'third']) {
    const file = Bun.file(join(clone, 'catalog/payments/components/payments-api.yaml'))
    const text = await file.text()
    await file.write(text.replace(/description: .*/, `description: Written in the ${round} round`))
    await git(clone, 'commit', '-qam', `payments-api: ${round}`)
    expect(await git(clone, 'push', '-q')).toStrictEqual({ stdout: '', stderr: '', exitCode: 0 })

    const entity = await who.get('/api/v1/catalog/entities/component/payments-api')
    expect(await entity.json()).toMatchObject({
      metadata: { description: `Written in the ${round} round` },
    })
  }
  expect(await catalogOf(who)).toBeArrayOfSize(before.length)
})

test('a push of another branch changes no catalog', async () => {
  const who = await demo.signIn('dev')
  const revision = async () =>
    (await who.get('/api/v1/catalog/entities')).headers.get('x-catalog-revision')
  const before = await revision()
  const clone = join(scratch.path, 'other')
  await git(scratch.path, 'clone', '-q', address('manager:demo@'), clone)
  await git(clone, 'checkout', '-qb', 'idea')
  await git(clone, 'commit', '-q', '--allow-empty', '-m', 'an idea')
  expect((await git(clone, 'push', '-q', 'origin', 'idea')).exitCode).toBe(0)
  expect(await revision()).toBe(before)
})

describe('pushes', () => {
  const cloneOf = async (user: string, name = 'gitops') => {
    const clone = join(scratch.path, `${user}-${name}-${crypto.randomUUID()}`)
    await git(scratch.path, 'clone', '-q', address(`${user}:demo@`, `acme/${name}.git`), clone)
    await git(clone, 'commit', '-q', '--allow-empty', '-m', `by ${user}`)
    return clone
  }
  const push = async (clone: string, ...refs: readonly string[]) =>
    (await git(clone, 'push', '-q', 'origin', ...refs)).stderr

  test.each([
    ['dev', 'gitops'],
    ['manager', 'templates'],
    ['outsider', 'cli'],
  ])('of %s leave the default branch and the tags of %s alone', async (user, name) => {
    const clone = await cloneOf(user, name)
    const refs = ['main', '+main', ':main', 'main:refs/tags/v9', ':refs/tags/portico-v1.4.0']
    for (const ref of refs) expect(await push(clone, ref)).toContain('remote rejected')
  })

  test('leave branches of others alone', async () => {
    const dev = await cloneOf('dev')
    expect(await push(dev, 'main:work')).toBe('')
    const outsider = await cloneOf('outsider')
    for (const ref of ['+main:work', ':work', ':promote/payments-checkout-web-staging']) {
      expect(await push(outsider, ref)).toMatch(/remote rejected|does not exist/)
    }
    expect(await push(outsider, '+main:work')).toContain('(this branch belongs to Dana Okafor)')
    expect(await push(await cloneOf('dev'), '+main:work')).toBe('')
    expect(await push(await cloneOf('platform'), ':work')).toBe('')
  })
})

test.each([
  ['nobody', ''],
  ['a wrong password', 'dev:wrong@'],
  ['an unknown person', 'root:demo@'],
  ['no password', 'dev:@'],
])('%s cannot clone', async (_, credentials) => {
  const folder = join(scratch.path, 'refused')
  const { exitCode, stderr } = await git(scratch.path, 'clone', '-q', address(credentials), folder)
  expect(exitCode).not.toBe(0)
  expect(stderr).toMatch(/Authentication failed|could not read (?:Username|Password)/)
})

test('an unknown repository is 404 for git', async () => {
  const { exitCode, stderr } = await git(
    scratch.path,
    'clone',
    address('dev:demo@', 'acme/nothing.git'),
  )
  expect(exitCode).not.toBe(0)
  expect(stderr).toContain('not found')
})

test('every seeded repository can be cloned, and its releases are tagged', async () => {
  for (const name of ['templates', 'cli']) {
    const cloned = await git(
      scratch.path,
      'clone',
      '-q',
      address('outsider:demo@', `acme/${name}.git`),
    )
    expect(cloned).toStrictEqual({ stdout: '', stderr: '', exitCode: 0 })
  }
  const { stdout } = await git(join(scratch.path, 'cli'), 'tag')
  expect(stdout).toBe('portico-v1.4.0\nportico-v1.5.0-rc.1\n')
})
