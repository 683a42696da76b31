import { describe, expect, test } from 'bun:test'
import { closeSync, constants, openSync } from 'node:fs'
import { join } from 'node:path'
import { createLineWriter } from '#src/lib/logging/line-writer.ts'
import { openFolder } from '#tests/support/open-folder.ts'

describe('a line writer', () => {
  test('writes every line once, in order, also those still collected at the end', async () => {
    await using place = await openFolder()
    const path = join(place.path, 'log')
    const writer = createLineWriter(openSync(path, 'a'))
    const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index}\n`)
    for (const line of lines) writer.write(line)
    await writer.close()
    expect(await Bun.file(path).text()).toBe(lines.join(''))
  })

  test('goes on when the disk is full, and ends', async () => {
    const full = openSync('/dev/full', 'w')
    const writer = createLineWriter(full)
    for (let index = 0; index < 1_000; index++) writer.write('nobody will read this\n')
    await writer.close()
    closeSync(full)
  })

  test('says how much was dropped, once it can write again', async () => {
    await using place = await openFolder()
    const path = join(place.path, 'log')
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_CREAT)
    const writer = createLineWriter(descriptor)
    writer.write('lost\n')
    await writer.close()
    // The same number, now writable: what a disk with room again is to the writer.
    closeSync(descriptor)
    const again = openSync(path, 'a')
    expect(again).toBe(descriptor)
    writer.write('kept\n')
    await writer.close()
    const [notice = '', kept] = (await Bun.file(path).text()).split('\n')
    expect(JSON.parse(notice)).toMatchObject({ level: 40, droppedCharacters: 5 })
    expect(kept).toBe('kept')
  })

  test('a reader that has stalled keeps a bounded amount waiting, and does not keep the writer from ending', async () => {
    await using place = await openFolder()
    const path = join(place.path, 'pipe')
    expect(await Bun.spawn(['mkfifo', path]).exited).toBe(0)
    const pipe = openSync(path, constants.O_RDWR)
    const writer = createLineWriter(pipe)
    const line = `${'x'.repeat(999)}\n`
    const before = process.memoryUsage.rss()
    for (let index = 0; index < 100_000; index++) writer.write(line)
    await writer.close()
    expect(process.memoryUsage.rss() - before).toBeLessThan(64 * 1024 * 1024)
    // Frees the thread that is waiting in the kernel.
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    closeSync(pipe)
    closeSync(reader)
  })
})
