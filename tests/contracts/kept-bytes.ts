import { expect, test } from 'bun:test'
import type { KeptBytes } from '#src/lib/ports/kept-bytes.ts'
import { err, ok } from '#src/lib/result.ts'

export async function* parts(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield new TextEncoder().encode(text)
}

export const textOf = async (kept: KeptBytes): Promise<string | null> => {
  const content = await kept.read()
  return content === null ? null : new TextDecoder().decode(content.bytes)
}

/** What every adapter passes. `open` is a later process of a writer, at the same place. */
export function keptBytesContract(
  name: string,
  at: () => Promise<{ readonly open: (writer: string) => KeptBytes } & AsyncDisposable>,
): void {
  test(`${name}: at first there is nothing`, async () => {
    await using place = await at()
    expect(await textOf(place.open('one'))).toBeNull()
  })

  test(`${name}: what was kept last is there for a later process of the same writer`, async () => {
    await using place = await at()
    expect(await place.open('one').keep(parts('a', '', 'bc'))).toStrictEqual(ok(undefined))
    expect(await textOf(place.open('one'))).toBe('abc')
    await place.open('one').keep(parts('d'))
    expect(await textOf(place.open('one'))).toBe('d')
    await place.open('one').keep(parts())
    expect(await textOf(place.open('one'))).toBe('')
  })

  test(`${name}: a confirmation says since when the bytes are known to be right`, async () => {
    await using place = await at()
    expect(await place.open('one').confirm(1_000)).toMatchObject(err({ kind: 'not_kept' }))
    await place.open('one').keep(parts('a'))
    expect(await place.open('one').confirm(1_700_000_000_000)).toStrictEqual(ok(undefined))
    expect(await place.open('one').read()).toMatchObject({ confirmedAt: 1_700_000_000_000 })
    await place.open('one').keep(parts('b'))
    expect((await place.open('one').read())?.confirmedAt).toBeGreaterThan(1_700_000_000_000)
  })

  test(`${name}: another writer has nothing, and may keep its own`, async () => {
    await using place = await at()
    await place.open('one').keep(parts('a'))
    for (const other of ['two', 'on', 'one ']) {
      expect(await textOf(place.open(other))).toBeNull()
    }
    await place.open('two').keep(parts('b'))
    expect(await textOf(place.open('two'))).toBe('b')
    expect(await textOf(place.open('one'))).toBeNull()
  })

  test(`${name}: what cannot be kept to its end leaves what was there`, async () => {
    await using place = await at()
    const kept = place.open('one')
    await kept.keep(parts('a'))
    async function* broken() {
      yield* parts('b')
      throw new Error('no more')
    }
    expect(await kept.keep(broken())).toMatchObject(err({ kind: 'not_kept' }))
    expect(await textOf(kept)).toBe('a')
  })
}
