import { afterAll, beforeAll, describe, test } from 'bun:test'
import * as promotion from '#tests/domain/promotion/kill-world.ts'
import * as scaffold from '#tests/domain/scaffold/kill-world.ts'
import { type OpenBao, openbaoProgram, startOpenBao } from '#tests/peers/openbao.ts'
import { expectStoreSurvival } from '#tests/support/store-kills.ts'
import { letPorticoIn } from '#tests/support/vault-login.ts'

const DEADLINE_MS = 300_000
const PATH = 'payments/shop/dev/env'
const LABELS = { 'managed-by': 'portico', team: 'payments', app: 'shop', environment: 'dev' }

describe.skipIf(openbaoProgram === null)('killed at any moment, the store has one of each', () => {
  let openbao: OpenBao
  let login: Readonly<Record<string, string>>
  beforeAll(async () => {
    openbao = await startOpenBao()
    login = (await letPorticoIn(openbao, '+/')).settings
  })
  afterAll(() => openbao[Symbol.asyncDispose]())

  test(
    'a scaffold: one empty entry with its labels',
    () =>
      expectStoreSurvival({
        openbao,
        login,
        program: 'scaffold-process.ts',
        answer: 'done',
        prepare: scaffold.prepare,
        census: scaffold.census,
        expected: scaffold.ONE_OF_EACH,
        runIds: scaffold.runIdsOf,
        entries: [{ path: PATH, version: 1, values: {}, labels: { ...LABELS, run: '1' } }],
        requests: [
          'POST auth/approle/login',
          `GET secret/subkeys/${PATH}?depth=1`,
          'GET sys/internal/ui/mounts/secret',
          `POST secret/data/${PATH}`,
          `PATCH secret/metadata/${PATH}`,
          'POST auth/token/revoke-self',
        ],
      }),
    DEADLINE_MS,
  )

  test(
    'a promotion into a present entry: every key once, and those of others stay',
    () =>
      expectStoreSurvival({
        openbao,
        login,
        program: 'promotion-process.ts',
        answer: 'ok',
        prepare: promotion.prepare,
        census: promotion.census,
        expected: promotion.ONE_OF_EACH,
        async seed(prefix) {
          await openbao.must('POST', `secret/data/${prefix}${PATH}`, { data: { OTHER: 'kept' } })
        },
        entries: [
          { path: PATH, version: 2, values: { A: 'a', B: 'b', OTHER: 'kept' }, labels: null },
        ],
        requests: [
          'POST auth/approle/login',
          `GET secret/subkeys/${PATH}?depth=1`,
          `PATCH secret/data/${PATH}`,
          'POST auth/token/revoke-self',
        ],
      }),
    DEADLINE_MS,
  )

  test(
    'a promotion that makes the entry: it is labelled too, whichever of its requests was the last',
    () =>
      expectStoreSurvival({
        openbao,
        login,
        program: 'promotion-process.ts',
        answer: 'ok',
        prepare: promotion.prepare,
        census: promotion.census,
        expected: promotion.ONE_OF_EACH,
        entries: [{ path: PATH, version: 1, values: { A: 'a', B: 'b' }, labels: LABELS }],
        requests: [
          'POST auth/approle/login',
          `GET secret/subkeys/${PATH}?depth=1`,
          'GET sys/internal/ui/mounts/secret',
          `POST secret/data/${PATH}`,
          `PATCH secret/metadata/${PATH}`,
          'POST auth/token/revoke-self',
        ],
        deaths: [[{ before: 4 }], [{ answered: 4 }], [{ before: 5 }, { answered: 2 }]],
      }),
    DEADLINE_MS,
  )
})
