import { afterEach, beforeEach, expect, jest, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openClusterRegistry } from '#src/compose/cluster-registry.ts'
import { systemClock } from '#src/lib/ports/clock.ts'

let directory = ''
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'portico-registry-'))
  jest.useFakeTimers()
})
afterEach(() => {
  jest.useRealTimers()
  rmSync(directory, { recursive: true })
})

function running() {
  const path = join(directory, 'clusters.yaml')
  const write = (id: string) =>
    writeFileSync(
      path,
      `apiVersion: portal/v1\nclusters:\n  - id: ${id}\n    name: One\n    apiServer: https://127.0.0.1:6443\n    systemRoots: true\n    groups: []\n`,
    )
  write('one')
  const told: string[] = []
  const tell = (_: object, message: string) => void told.push(message)
  const log = { info: tell, error: tell }
  const opened = openClusterRegistry({
    path,
    environments: [],
    clock: systemClock,
    log: log as never,
  })
  if (!opened.ok) throw new Error(opened.error.join())
  const { value: registry } = opened
  return {
    write,
    told,
    ids: () => registry.entries().map(({ id }) => String(id)),
    look: () => jest.advanceTimersByTime(10_000),
    [Symbol.dispose]: () => registry.close(),
  }
}

test('the registry is looked at every ten seconds, until it is closed', () => {
  using at = running()
  at.write('two')
  jest.advanceTimersByTime(9_999)
  expect(at.ids()).toStrictEqual(['one'])
  jest.advanceTimersByTime(1)
  expect(at.ids()).toStrictEqual(['two'])
  at[Symbol.dispose]()
  expect(jest.getTimerCount()).toBe(0)
})

test('a change is told once, and so is a mistake each time that it is made', () => {
  using at = running()
  for (const id of ['two', 'UPPER', 'two', 'UPPER']) {
    at.write(id)
    for (let looks = 0; looks < 3; looks++) at.look()
  }
  expect(at.told).toStrictEqual([
    'cluster registry changed',
    'cluster registry is broken, the old one stays',
    'cluster registry changed',
    'cluster registry is broken, the old one stays',
  ])
})
