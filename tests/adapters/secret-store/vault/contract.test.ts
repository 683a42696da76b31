import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { secretStoreContract } from '#tests/contracts/secret-store.ts'
import { type OpenBao, openbaoProgram, startOpenBao } from '#tests/peers/openbao.ts'
import { mustHaveAll } from '#tests/support/must-have-all.ts'
import { openVaultFixture, policyText } from './open-vault-store.ts'

const namespace = 'platform'
const mount = 'teams/kv'

test.skipIf(!mustHaveAll)('OpenBao is there (CONTRIBUTING.md says where to get it)', () => {
  expect(openbaoProgram).not.toBeNull()
})

describe.skipIf(openbaoProgram === null)('OpenBao in memory', () => {
  let openbao: OpenBao
  let token: string
  beforeAll(async () => {
    openbao = await startOpenBao()
    await openbao.policy('portico', await policyText(1, { revives: true }))
    token = await openbao.token({ policies: ['portico'] })
    await openbao.must('POST', `sys/namespaces/${namespace}`)
    const engine = { type: 'kv', options: { version: '2' } }
    await openbao.must('POST', `sys/mounts/${mount}`, engine, { namespace })
  })
  afterAll(() => openbao[Symbol.asyncDispose]())

  secretStoreContract('vault, with its policy and no other right,', async () =>
    openVaultFixture({ openbao, token }),
  )
  secretStoreContract(
    'vault, in a namespace, with mount and prefix of several segments,',
    async () => openVaultFixture({ openbao, namespace, mount, prefix: 'apps/eu/' }),
  )
})
