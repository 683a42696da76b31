import { generateKeyPairSync } from 'node:crypto'
import { createDemoIdentity, PORTAL_AUDIENCE } from '#src/demo/identity.ts'
import { ISSUER, people } from '#src/demo/people.ts'
import { identityContract } from '#tests/contracts/identity.ts'
import { valueOf } from '#tests/support/value-of.ts'

const HOUR_MS = 3_600_000

identityContract('the demo', async () => {
  const clock = { at: Date.UTC(2026, 10, 21), now: () => clock.at }
  const identity = createDemoIdentity(generateKeyPairSync('ed25519'), clock)
  return {
    identity,
    clientId: PORTAL_AUDIENCE,
    async begin() {
      const { url, transaction } = valueOf(await identity.authorizationRequest())
      const state = new URL(url, 'http://127.0.0.1').searchParams.get('state') ?? ''
      const code = identity.issueCode(people.dev, state)
      return { callback: new URLSearchParams({ code, state, iss: ISSUER }), transaction }
    },
    subjectOf: async (token, audience) => (await identity.authenticate(token, audience))?.id,
    pass: async (hours) => void (clock.at += hours * HOUR_MS),
    now: clock.now,
    async [Symbol.asyncDispose]() {},
  }
})
