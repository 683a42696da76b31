import { beforeAll, describe, expect, test } from 'bun:test'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { originOf } from '#scripts/release/origin.ts'
import { gitEnvironment } from '#tests/support/git-environment.ts'
import { refusalOf } from './refusal.ts'
import { folderOfTests } from '#tests/support/folder-of-tests.ts'

const WHEN = '2026-11-20T08:09:10Z'

const place = folderOfTests()
const folder = join(place, 'repository')
const without = join(place, 'none')
let head: string
beforeAll(async () => {
  await Promise.all([mkdir(folder), mkdir(without)])
  const git = (...args: readonly string[]) =>
    Bun.$`git -c user.name=Dev -c user.email=dev@acme.example ${args}`
      .cwd(folder)
      .env({ ...gitEnvironment(folder), GIT_AUTHOR_DATE: WHEN, GIT_COMMITTER_DATE: WHEN })
      .text()
  await git('init', '--quiet')
  await git('commit', '--quiet', '--allow-empty', '-m', 'First commit')
  head = (await git('rev-parse', 'HEAD')).trim()
})

const seconds = String(Date.parse(WHEN) / 1_000)

describe('what a release is made of', () => {
  test('is the commit that is checked out, with its time', async () => {
    const origin = { commit: head.slice(0, 12), committedAt: new Date(WHEN) }
    expect(await originOf(folder, {})).toStrictEqual(origin)
    for (const said of [head, head.slice(0, 7)]) {
      const variables = { PORTICO_COMMIT: said, SOURCE_DATE_EPOCH: seconds }
      expect(await originOf(folder, variables)).toStrictEqual(origin)
    }
  })

  test.each([{}, { PORTICO_COMMIT: 'abcdef123456', SOURCE_DATE_EPOCH: '1795000000' }])(
    'is not a checkout with changes in it, whatever is said: %p',
    async (variables) => {
      await Bun.write(join(folder, 'new.ts'), 'export {}')
      expect(await refusalOf(originOf(folder, variables))).toContain('there are changes beside it')
      await rm(join(folder, 'new.ts'))
    },
  )

  test.each([
    [
      { PORTICO_COMMIT: 'abcdef123456' },
      'PORTICO_COMMIT is abcdef123456, and the repository is at ',
    ],
    [{ SOURCE_DATE_EPOCH: '1795000000' }, 'SOURCE_DATE_EPOCH is 1795000000, and the commit is of '],
  ])('is not something else than what is checked out: %p', async (variables, refusal) => {
    expect(await refusalOf(originOf(folder, variables))).toStartWith(refusal)
  })

  test('is said by the environment where there is no repository', async () => {
    const given = {
      PORTICO_COMMIT: `abcdef123456${'0'.repeat(28)}`,
      SOURCE_DATE_EPOCH: '1795000000',
    }
    expect(await originOf(without, given)).toStrictEqual({
      commit: 'abcdef123456',
      committedAt: new Date(1_795_000_000_000),
    })
  })

  test.each(['', 'yesterday', '1e9', '999999999999999'])('has no time %p', async (given) => {
    const variables = { PORTICO_COMMIT: 'abcdef1', SOURCE_DATE_EPOCH: given }
    const refusal = await refusalOf(originOf(without, variables))
    expect(refusal).toStartWith('SOURCE_DATE_EPOCH is a number of seconds')
  })

  test.each(['', 'abcdef', 'ABCDEF1', 'main', 'a'.repeat(41), 'abcdef1\n', '"+"abcdef1'])(
    'is no commit %p',
    async (given) => {
      const variables = { PORTICO_COMMIT: given, SOURCE_DATE_EPOCH: seconds }
      for (const each of [without, folder]) {
        expect(await refusalOf(originOf(each, variables))).toStartWith('PORTICO_COMMIT is ')
      }
    },
  )

  test.each([{}, { PORTICO_COMMIT: 'abcdef1' }, { SOURCE_DATE_EPOCH: '1795000000' }])(
    'is nothing where nobody says it: %p',
    async (variables) => {
      const refusal = await refusalOf(originOf(without, variables))
      expect(refusal).toStartWith('there is no repository here, so PORTICO_COMMIT and ')
    },
  )

  test('is not what a repository around it says, nor one that is told to git', async () => {
    const broken = join(folder, 'broken')
    await mkdir(join(broken, '.git'), { recursive: true })
    expect(await refusalOf(originOf(broken, {}))).toStartWith('git cannot say which commit this is')
    process.env['GIT_DIR'] = join(folder, '.git')
    expect(await refusalOf(originOf(broken, {}))).toStartWith('git cannot say which commit this is')
    delete process.env['GIT_DIR']
    await rm(broken, { recursive: true })
  })
})
