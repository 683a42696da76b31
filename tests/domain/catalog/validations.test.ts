import { expect, test } from 'bun:test'
import type { ParsedFile } from '#src/lib/domain/catalog/parse-file.ts'
import { createValidations } from '#src/lib/domain/catalog/validations.ts'
import { value } from '#tests/contracts/git-host.ts'

const person = (subject: string) => ({ issuer: 'https://id.acme.example', subject })
const busy = { ok: false, error: { kind: 'rate_limited', retryAfterSeconds: 1 } } as const
const empty: ParsedFile = { entities: [], findings: [] }
/** Lets what is due begin. */
const turn = () => new Promise((resolve) => setImmediate(resolve))
const stays = new AbortController().signal

/** A parser that ends its files when it is told to. */
function world() {
  const parsing: PromiseWithResolvers<readonly ParsedFile[]>[] = []
  const validations = createValidations({
    warm: () => undefined,
    parse() {
      const file = Promise.withResolvers<readonly ParsedFile[]>()
      parsing.push(file)
      return file.promise
    },
    close: () => undefined,
  })
  return { parsing, validations }
}

test('a person has a quarter of the places, and gets one again with the end of a validation', () => {
  const { validations } = world()
  const first = value(validations.enter(person('ann')))
  for (let other = 1; other < 4; other += 1) value(validations.enter(person('ann')))
  expect(validations.enter(person('ann'))).toStrictEqual(busy)
  expect(validations.enter({ ...person('ann'), issuer: 'https://other.example' }).ok).toBe(true)
  first[Symbol.dispose]()
  expect(validations.enter(person('ann')).ok).toBe(true)
  expect(validations.enter(person('ann'))).toStrictEqual(busy)
})

test('all people together have sixteen', () => {
  const { validations } = world()
  const places = Array.from({ length: 16 }, (_, index) =>
    value(validations.enter(person(`p${index}`))),
  )
  expect(validations.enter(person('late'))).toStrictEqual(busy)
  places[7]?.[Symbol.dispose]()
  expect(validations.enter(person('late')).ok).toBe(true)
})

test('who leaves while waiting costs the parser nothing', async () => {
  const { validations, parsing } = world()
  const [running, waiting, behind] = ['ann', 'ben', 'eve'].map((name) =>
    value(validations.enter(person(name))),
  )
  const client = new AbortController()
  const first = running?.validate(new Uint8Array(), stays)
  const second = waiting?.validate(new Uint8Array(), client.signal)
  const third = behind?.validate(new Uint8Array(), stays)
  await turn()
  client.abort()
  expect(await second).toStrictEqual({ ok: false, error: { kind: 'client_left' } })
  parsing[0]?.resolve([empty])
  expect((await first)?.ok).toBe(true)
  await turn()
  expect(parsing).toHaveLength(2)
  parsing[1]?.resolve([empty])
  expect((await third)?.ok).toBe(true)
})

test('who leaves while the parser is at the file keeps the place until its end', async () => {
  const { validations, parsing } = world()
  const client = new AbortController()
  const place = value(validations.enter(person('ann')))
  let isOver = false
  const validating = place.validate(new Uint8Array(), client.signal).then(() => (isOver = true))
  await turn()
  client.abort()
  await turn()
  expect(isOver).toBe(false)
  parsing[0]?.resolve([empty])
  await validating
})

test('a parser without a thread is a failure, not an exception', async () => {
  const { validations, parsing } = world()
  const validating = value(validations.enter(person('ann'))).validate(new Uint8Array(), stays)
  await turn()
  parsing[0]?.reject(new Error('no thread'))
  expect(await validating).toStrictEqual({
    ok: false,
    error: { kind: 'catalog_parser_failed', reason: 'Error: no thread' },
  })
})
