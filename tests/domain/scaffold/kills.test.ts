import { test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expectSurvival } from '#tests/support/kills.ts'
import { secretVersionsIn } from '#tests/support/secret-versions.ts'
import * as world from './kill-world.ts'

const DEADLINE_MS = 300_000

const census = async (directory: string) => ({
  ...(await world.census(directory)),
  secrets: secretVersionsIn(directory),
  origins: await readdir(join(directory, 'origins')),
})

const ONE_OF_EACH = {
  ...world.ONE_OF_EACH,
  secrets: ['payments/shop/dev/env 1'],
  origins: ['payments_shop_dev_env'],
}

test(
  'killed at every point between two effects, and at many twice: in the end there is one of each',
  () =>
    expectSurvival({
      program: 'scaffold-process.ts',
      answer: 'done',
      prepare: world.prepare,
      census,
      expected: ONE_OF_EACH,
      points: 21,
      deaths: (points) => [
        ...Array.from({ length: points }, (_, index) => [index + 1]),
        ...Array.from({ length: 7 }, (_, index) => [index * 3 + 1, ((index * 5) % 11) + 1]),
        // More often than a step may end its process, with a finished step between.
        [3, 3, 3, 6, 3, 3, 3],
      ],
    }),
  DEADLINE_MS,
)
