import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { mkdtemp, rename, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openClusterRegistry } from '#src/compose/cluster-registry.ts'
import type { OpenEntries } from '#src/compose/entry-file.ts'
import { type Clock, systemClock } from '#src/lib/ports/clock.ts'
import type { Cluster } from '#src/lib/ports/clusters.ts'
import { makeAuthority } from '#tests/support/certificates.ts'
import { until } from '#tests/support/until.ts'

let directory = ''
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'portico-registry-'))
})
afterEach(() => rm(directory, { recursive: true }))

const registryOf = (id: string, ca: string) =>
  `apiVersion: portal/v1\nclusters:\n  - id: ${id}\n    name: One\n    apiServer: https://127.0.0.1:6443\n    caFile: ${ca}\n    groups: [payments]\n`

const POLL_EVERY_MS = 5

function open(path: string, clock: Clock = systemClock) {
  const told: string[] = []
  const log = {
    info: (_: object, message: string) => void told.push(message),
    error: (facts: object, message: string) =>
      void told.push(`${message} ${JSON.stringify(facts)}`),
  }
  const opened = openClusterRegistry({
    path,
    environments: [],
    clock,
    log: log as never,
    pollEveryMs: POLL_EVERY_MS,
  })
  return { opened, told }
}

const ids = (registry: OpenEntries<Cluster>) => registry.entries().map(({ id }) => String(id))

describe('a registry that cannot be used', () => {
  test('is told with file, line and column, all at once', async () => {
    const path = join(directory, 'clusters.yaml')
    writeFileSync(path, registryOf('Not A Label', join(directory, 'no.pem')))
    const { opened } = open(path)
    expect(opened.ok).toBe(false)
    if (!opened.ok) {
      expect(opened.error.map((line) => line.slice(path.length))).toStrictEqual([
        ':3:9: clusters[0].id: must be a DNS-1123 label',
        ':6:13: clusters[0].caFile: cannot be read: ENOENT',
      ])
    }
  })

  test('as one that is not there', () => {
    expect(open(join(directory, 'none.yaml')).opened).toStrictEqual({
      ok: false,
      error: [`${join(directory, 'none.yaml')} cannot be read (ENOENT)`],
    })
  })
})

describe('a registry that changes', () => {
  async function running() {
    const ca = join(directory, 'ca.pem')
    writeFileSync(ca, (await makeAuthority()).pem)
    const path = join(directory, 'clusters.yaml')
    writeFileSync(path, registryOf('one', ca))
    const { opened, told } = open(path)
    if (!opened.ok) throw new Error(opened.error.join())
    return {
      ca,
      path,
      told,
      registry: opened.value,
      [Symbol.dispose]: () => opened.value.close(),
    }
  }

  test('counts when the file does', async () => {
    using at = await running()
    expect(ids(at.registry)).toStrictEqual(['one'])
    writeFileSync(at.path, registryOf('two', at.ca))
    await until(() => ids(at.registry)[0] === 'two')
    expect(at.told).toStrictEqual(['cluster registry changed'])
  })

  test('leaves the clusters that stayed as they were', async () => {
    using at = await running()
    const [before] = at.registry.entries()
    const [head, ...entries] = registryOf('two', at.ca).split('clusters:\n')
    const [, one] = registryOf('one', at.ca).split('clusters:\n')
    writeFileSync(at.path, `${head}clusters:\n${entries.join('')}${one}`)
    await until(() => ids(at.registry).length === 2)
    expect(ids(at.registry)).toStrictEqual(['two', 'one'])
    expect(at.registry.entries()[1]).toBe(before as Cluster)
  })

  test('counts when a CA does', async () => {
    using at = await running()
    const [before] = at.registry.entries()
    const { pem } = await makeAuthority()
    writeFileSync(at.ca, pem)
    await until(() => at.registry.entries()[0] !== before)
    expect(at.registry.entries()[0]?.trust).toMatchObject({ pem: `${pem}\n` })
  })

  test('counts through a symbolic link further up, as a ConfigMap is mounted', async () => {
    using at = await running()
    const [link, next] = [join(directory, 'data'), join(directory, 'data.new')]
    await symlink(directory, link)
    const { opened } = open(join(link, 'clusters.yaml'))
    if (!opened.ok) throw new Error(opened.error.join())
    using _ = { [Symbol.dispose]: () => opened.value.close() }
    const other = await mkdtemp(join(tmpdir(), 'portico-registry-'))
    writeFileSync(join(other, 'clusters.yaml'), registryOf('two', at.ca))
    await symlink(other, next)
    await rename(next, link)
    await until(() => ids(opened.value)[0] === 'two')
    await rm(other, { recursive: true })
  })

  test('stays as it was when there is a mistake in it, which is told once', async () => {
    using at = await running()
    writeFileSync(at.path, registryOf('UPPER', at.ca))
    await until(() => at.told.length > 0)
    await Bun.sleep(5 * POLL_EVERY_MS)
    expect(at.told).toHaveLength(1)
    expect(at.told[0]).toContain('the old one stays')
    expect(ids(at.registry)).toStrictEqual(['one'])
    writeFileSync(at.path, registryOf('three', at.ca))
    await until(() => ids(at.registry)[0] === 'three')
  })

  test('becomes good by itself when a certificate of it becomes valid', async () => {
    using at = await running()
    const clock = { ahead: 0, now: () => Date.now() + clock.ahead }
    const { opened, told } = open(at.path, clock)
    if (!opened.ok) throw new Error(opened.error.join())
    using _ = { [Symbol.dispose]: () => opened.value.close() }
    clock.ahead = -48 * 60 * 60_000
    writeFileSync(at.path, registryOf('two', at.ca))
    await until(() => told.length > 0)
    await Bun.sleep(5 * POLL_EVERY_MS)
    expect(told).toHaveLength(1)
    clock.ahead = 0
    await until(() => ids(opened.value)[0] === 'two')
  })

  test('is left alone when nothing did', async () => {
    using at = await running()
    const [before] = at.registry.entries()
    await Bun.sleep(5 * POLL_EVERY_MS)
    expect(at.registry.entries()[0]).toBe(before)
    expect(at.told).toStrictEqual([])
  })
})
