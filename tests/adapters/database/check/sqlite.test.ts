import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { checkDatabase } from '#src/lib/adapters/database/check/index.ts'
import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { openFolder } from '#tests/support/open-folder.ts'

const check = (path: string) =>
  checkDatabase({ url: `sqlite:${path}`, listenUrl: null, authority: null })

test('a folder that is not there yet stays missing', async () => {
  await using folder = await openFolder()
  const path = join(folder.path, 'data/portico.sqlite')
  expect(await check(path)).toStrictEqual([
    {
      ok: true,
      text: `The SQLite database and its journal go to ${folder.path}/data, which the first start makes.`,
    },
  ])
  expect(await readdir(folder.path)).toStrictEqual([])
})

test('a folder in which nothing can be made', async () => {
  expect(await check('/proc/portico.sqlite')).toStrictEqual([
    {
      ok: false,
      text: expect.stringMatching(
        /^The SQLite database and its journal cannot be written to \/proc: /,
      ),
    },
  ])
})

test('a file of a later version, and one that is no database', async () => {
  await using folder = await openFolder()
  const path = join(folder.path, 'portico.sqlite')
  const opened = await openDatabase(`sqlite:${path}`)
  if (!opened.ok) throw new Error(opened.error.reason)
  await opened.value.close()
  {
    using database = new Database(path)
    database.run('INSERT INTO schema_version (version) VALUES (1000)')
  }
  expect((await check(path)).at(-1)).toStrictEqual({
    ok: false,
    text: expect.stringMatching(/is of a later Portico \(schema 1000; this one has \d+\)/),
  })
  const text = join(folder.path, 'text.sqlite')
  await Bun.write(text, 'not a database, however long it is'.repeat(100))
  expect((await check(text)).at(-1)).toStrictEqual({
    ok: false,
    text: `${text} cannot be read and written as a SQLite database (SQLITE_NOTADB).`,
  })
})

test('a database in memory is none for serving', async () => {
  expect(await check(':memory:')).toStrictEqual([
    { ok: false, text: 'sqlite::memory: forgets everything at the end.' },
  ])
})
