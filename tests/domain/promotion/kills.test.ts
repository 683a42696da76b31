import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPromotion } from '#tests/peers/open-promotion.ts'
import { expectSurvival } from '#tests/support/kills.ts'
import { secretVersionsIn } from '#tests/support/secret-versions.ts'
import * as world from './kill-world.ts'

const DEADLINE_MS = 300_000

const census = async (directory: string) => ({
  ...(await world.census(directory)),
  secrets: secretVersionsIn(directory),
})

const ONE_OF_EACH = { ...world.ONE_OF_EACH, secrets: ['payments/shop/dev/env 1'] }

test(
  'killed at every point between two effects, at some of them twice, then asked again: one of each',
  () =>
    expectSurvival({
      program: 'promotion-process.ts',
      answer: 'ok',
      prepare: world.prepare,
      census,
      expected: ONE_OF_EACH,
      points: 12,
      deaths: (points) =>
        Array.from({ length: points }, (_, index) => [
          [index + 1],
          ...(index % 3 === 0 ? [[index + 1, ((index * 5) % points) + 1]] : []),
        ]).flat(),
    }),
  DEADLINE_MS,
)

test('sent to three replicas at once: one writes and proposes, all answer alike, and so does a repetition', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'portico-replicas-'))
  try {
    await world.prepare(directory)
    await using one = await openPromotion(directory)
    await using two = await openPromotion(directory)
    await using three = await openPromotion(directory)
    const replicas = [one, two, three]
    const answers = await Promise.all(replicas.map((replica) => replica.promote()))
    const createdBy = (answer: (typeof answers)[number]) =>
      answer.ok && answer.value.secretVersion === 1 ? answer.value.proposed?.created : answer
    expect(new Set(answers.map(createdBy))).toStrictEqual(new Set([true, false]))
    expect(answers.filter((answer) => createdBy(answer) === true)).toHaveLength(1)
    for (const replica of replicas) {
      const again = await replica.promote()
      expect(createdBy(again)).toBe(false)
    }
    expect(await census(directory)).toStrictEqual(ONE_OF_EACH)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
})
