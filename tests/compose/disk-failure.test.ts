import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { withDiskFailures } from '#src/compose/disk-failure.ts'
import { StartFailure } from '#src/compose/server.ts'

const failing = (why: string) => async () => {
  throw new Error(why)
}

// prettier-ignore
test.each<[string, () => Promise<unknown>, string]>([
  ['a write of a file',    async () => writeFileSync('/dev/full', 'x'),              'no space is left'],
  ['a folder',             async () => mkdirSync('/dev/null/x', { recursive: true }), 'a part of its path is a file'],
  ['SQLite',               failing('database or disk is full'),                       'no space is left'],
  ['git',                  failing('fatal: unable to write loose object file: No space left on device'), 'no space is left'],
  ['a quota',              failing('EDQUOT: disk quota exceeded, write'),             'the quota is used up'],
  ['a read-only mount',    failing("EROFS: read-only file system, open '/x'"),        'it is read-only'],
  ['somebody else’s file', failing("EACCES: permission denied, open '/x'"),           'this user may not'],
])('%s that fails is said in words', async (_, work, sentence) => {
  const failure = await withDiskFailures('/data', work).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(StartFailure)
  expect((failure as Error).message).toStartWith(`DATA_DIR cannot be written to, ${sentence}: /data;`)
})

test('a bug stays one', async () => {
  const bug = new TypeError('x is undefined')
  const work = async () => {
    throw bug
  }
  expect(await withDiskFailures('/data', work).catch((error: unknown) => error)).toBe(bug)
})
