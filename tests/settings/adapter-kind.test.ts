import { describe, expect, test } from 'bun:test'
import { ok } from '#src/lib/result.ts'
import { adapterKind } from '#src/lib/settings/adapter-kind.ts'
import { integer, text } from '#src/lib/settings/parsers.ts'
import { setting } from '#src/lib/settings/setting.ts'

const forge = adapterKind({
  settings: {
    FORGE_TOKEN: setting({
      description: 'Token of the forge',
      example: 'abc',
      secret: true,
      parse: text(/^[a-z]+$/, 'letters'),
    }),
    FORGE_PORT: setting({
      description: 'Port of the forge',
      example: '443',
      fallback: '443',
      parse: integer(1, 65_535),
    }),
  },
  open: async ({ FORGE_TOKEN, FORGE_PORT }, { origin }: { readonly origin: string }) =>
    ok(`${origin}:${FORGE_PORT} with ${FORGE_TOKEN}`),
})

const read = (environment: Readonly<Record<string, string>>) =>
  forge.read({ environment, readFile: () => 'fromfile\n' })

describe('a kind of adapter', () => {
  test.each([
    [{ FORGE_TOKEN: 'abc' }, 'forge:443 with abc'],
    [{ FORGE_TOKEN_FILE: '/run/token', FORGE_PORT: '8443' }, 'forge:8443 with fromfile'],
  ])('is opened with its own settings and the means of every installation', async (env, opened) => {
    const kind = read(env)
    if (!kind.ok) throw new Error(JSON.stringify(kind.error))
    expect(await kind.value({ origin: 'forge' })).toMatchObject({ ok: true, value: opened })
  })

  test('reports every mistake, without the text of a variable', () => {
    const kind = read({ FORGE_TOKEN: 'HUNTER2', FORGE_PORT: '0' })
    expect(kind).toStrictEqual({
      ok: false,
      error: [
        { variable: 'FORGE_TOKEN', reason: 'must be letters', example: 'abc' },
        {
          variable: 'FORGE_PORT',
          reason: 'must be a whole number from 1 to 65535',
          example: '443',
        },
      ],
    })
  })

  test('requires a setting without a fallback', () => {
    expect(read({})).toMatchObject({
      ok: false,
      error: [{ variable: 'FORGE_TOKEN', reason: 'is missing' }],
    })
  })
})
