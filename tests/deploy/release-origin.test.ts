import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { originOf } from '#scripts/release/origin.ts'
import { gitEnvironment } from '#tests/support/git-environment.ts'
import { refusalOf } from './refusal.ts'

const WHEN = '2026-11-20T08:09:10Z'

let folder: string
let head: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portico-origin-'))
  const git = (...args: readonly string[]) =>
    Bun.$`git -c user.name=Dev -c user.email=dev@acme.example ${args}`
      .cwd(folder)
      .env({ ...gitEnvironment(folder), GIT_AUTHOR_DATE: WHEN, GIT_COMMITTER_DATE: WHEN })
      .text()
  await git('init', '--quiet')
  await git('commit', '--quiet', '--allow-empty', '-m', 'First commit')
  head = (await git('rev-parse', 'HEAD')).trim()
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('what a release is made of', () => {
  test('is the commit that is checked out, with its time', async () => {
    const commit = head.slice(0, 12)
    expect(await originOf(folder, {})).toStrictEqual({ commit, committedAt: new Date(WHEN) })
  })

  test('is not a checkout with changes in it', async () => {
    await Bun.write(join(folder, 'new.ts'), 'export {}')
    expect(await refusalOf(originOf(folder, {}))).toContain('there are changes beside it')
    await rm(join(folder, 'new.ts'))
  })

  test('is said by the environment where there is no repository', async () => {
    const given = { PORTICO_COMMIT: 'abcdef123456', SOURCE_DATE_EPOCH: '1795000000' }
    expect(await originOf('/nonexistent', given)).toStrictEqual({
      commit: 'abcdef123456',
      committedAt: new Date(1_795_000_000_000),
    })
  })

  test.each(['', 'yesterday', '1e9', '999999999999999'])('has no time %p', async (seconds) => {
    const origin = originOf(folder, { PORTICO_COMMIT: 'abc', SOURCE_DATE_EPOCH: seconds })
    expect(await refusalOf(origin)).toStartWith('SOURCE_DATE_EPOCH is a number of seconds')
  })

  test('is nothing where nobody says it', async () => {
    const refusal = await refusalOf(originOf(tmpdir(), {}))
    expect(refusal).toStartWith('git cannot say which commit this is')
  })
})
