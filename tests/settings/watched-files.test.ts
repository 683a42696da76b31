import { afterEach, beforeEach, expect, jest, test } from 'bun:test'
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { err, ok } from '#src/lib/result.ts'
import { readText, watchFiles } from '#src/lib/settings/watched-files.ts'

let directory = ''
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'portico-watched-'))
  jest.useFakeTimers()
})
afterEach(() => {
  jest.useRealTimers()
  rmSync(directory, { recursive: true })
})

const file = (name: string) => join(directory, name)
const look = () => jest.advanceTimersByTime(10_000)

/** Reads two files: the second is named by the first. */
function open() {
  const told: string[] = []
  let reads = 0
  const watched = watchFiles<string>({
    read(readFile) {
      reads += 1
      const first = readFile(file('first'))
      if (!first.ok) return err([`first ${first.error}`])
      const second = readFile(file(first.value))
      return second.ok ? ok(second.value) : err([`${first.value} ${second.error}`])
    },
    onChanged: (value) => void told.push(value),
    onBroken: (mistakes) => void told.push(...mistakes),
  })
  return { watched, told, reads: () => reads }
}

test('a value is read at the start, and again when a file of it changes', () => {
  writeFileSync(file('first'), 'a')
  writeFileSync(file('a'), 'one')
  const { watched, told, reads } = open()
  if (!watched.ok) throw new Error(watched.error.join())
  expect(watched.value.value).toBe('one')
  look()
  expect([told, reads()]).toStrictEqual([[], 1])
  writeFileSync(file('a'), 'two')
  look()
  writeFileSync(file('b'), 'three')
  look()
  writeFileSync(file('first'), 'b')
  look()
  look()
  // The file that is not named any more does not count any more.
  writeFileSync(file('a'), 'four')
  look()
  expect([told, reads()]).toStrictEqual([['two', 'three'], 3])
  watched.value.close()
  expect(jest.getTimerCount()).toBe(0)
})

test('a mistake is told once, and its end is a change', () => {
  writeFileSync(file('first'), 'a')
  writeFileSync(file('a'), 'one')
  const { watched, told } = open()
  rmSync(file('a'))
  look()
  look()
  writeFileSync(file('first'), 'c')
  look()
  writeFileSync(file('c'), 'two')
  look()
  expect(told).toStrictEqual(['a ENOENT', 'c ENOENT', 'two'])
  if (watched.ok) watched.value.close()
})

test('files that cannot be used at the start are not watched', () => {
  const { watched } = open()
  expect(watched).toStrictEqual({ ok: false, error: ['first ENOENT'] })
  expect(jest.getTimerCount()).toBe(0)
})

test('a pipe, a device and a file without end are refused before they are read', () => {
  expect(Bun.spawnSync(['mkfifo', file('pipe')]).exitCode).toBe(0)
  writeFileSync(file('large'), '')
  truncateSync(file('large'), 2 ** 40)
  expect(readText(file('pipe'))).toStrictEqual(err('not a file'))
  expect(readText('/dev/zero')).toStrictEqual(err('not a file'))
  expect(readText(file('large'))).toStrictEqual(err('more than 16777216 bytes'))
  expect(readText(directory)).toStrictEqual(err('EISDIR'))
})
