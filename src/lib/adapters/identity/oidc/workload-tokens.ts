import { createLru } from '../../../concurrency/lru.ts'
import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import type { Clock } from '../../../ports/clock.ts'
import type { WorkloadTokens } from '../../../ports/workload-tokens.ts'
import { err, ok } from '../../../result.ts'
import { isObject, parseJson } from '../../../text/json.ts'
import { identityFailure, InvalidToken, tokenFault, UnusableAnswer } from './failure.ts'
import { createIssuer } from './issuer.ts'
import { checkIssuedAt, createVerify, type VerifiedToken, type Verify } from './verify.ts'

const DEADLINE_MS = 5_000
const ISSUERS_MAX = 100

/** Nothing is asked for in the name of a client. */
const NO_CLIENT = {
  OIDC_CLIENT_ID: 'none',
  OIDC_CLIENT_AUTH: 'none',
  OIDC_CLIENT_SECRET: '',
  OIDC_CLIENT_KEY: null,
  OIDC_CLIENT_KEY_ID: '',
} as const

/** OpenID tokens of any issuer that a rule names. Anybody may send one, so that a failed load of keys is not repeated at once. */
export function createWorkloadTokens(clock: Clock): WorkloadTokens {
  const issuers = createLru<string, ReturnType<typeof createIssuer>>(ISSUERS_MAX)

  function issuerAt(issuer: string) {
    const known = issuers.get(issuer)
    if (known !== undefined) return known
    const settings = { OIDC_ISSUER: new URL(issuer), ...NO_CLIENT }
    const made = createIssuer(settings, clock, () => null, DEADLINE_MS)
    issuers.set(issuer, made)
    return made
  }

  async function verified(verify: Verify, token: string, issuer: string, audience: string) {
    const answer = await verify(token, audience, { requiredClaims: ['iat', 'exp'] })
    const { iss, aud } = answer.claims
    checkIssuedAt(answer.claims, clock)
    // A discovery document may spell its issuer in another way, and that of Entra ID names any tenant.
    if (iss !== issuer) throw new InvalidToken('other_issuer')
    if ([aud].flat().some((one) => one !== audience)) {
      throw new InvalidToken('other_audiences')
    }
    return answer
  }

  return {
    async verify(token, { issuer, keySet }, audience) {
      const answer =
        keySet === null
          ? await issuerAt(issuer).ask(
              ({ verifyFrom }) => verified(verifyFrom('anybody'), token, issuer, audience),
              failureOf,
              'anybody',
            )
          : await settled(() =>
              verified(createVerify(issuer, keysIn(keySet), clock), token, issuer, audience),
            )
      return answer.ok
        ? ok({ claims: answer.value.claims, expiresAt: answer.value.expiresAt })
        : answer
    },
  }
}

function failureOf(thrown: unknown) {
  const fault = tokenFault(thrown)
  return fault === null
    ? identityFailure(thrown)
    : ({ kind: 'workload_token_invalid', reason: fault.code } as const)
}

async function settled(work: () => Promise<VerifiedToken>) {
  try {
    return ok(await work())
  } catch (error) {
    return err(failureOf(error))
  }
}

function keysIn(text: string): JWTVerifyGetKey {
  const keySet = parseJson(text)
  if (!isKeySet(keySet)) throw new UnusableAnswer('no_key_set')
  return createLocalJWKSet(keySet)
}

const isKeySet = (value: unknown): value is JSONWebKeySet =>
  isObject(value) && Array.isArray(value['keys'])
