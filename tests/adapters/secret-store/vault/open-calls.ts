import { createVaultClient } from '#src/lib/adapters/secret-store/vault/client.ts'
import type { VaultClient } from '#src/lib/adapters/secret-store/vault/client.ts'
import {
  createVaultCalls,
  type VaultCallsOptions,
} from '#src/lib/adapters/secret-store/vault/calls.ts'
import type { Credential } from '#src/lib/settings/credential.ts'
import type { SecretActor } from '#src/lib/ports/secret-store.ts'
import { SERVICE } from '#src/lib/ports/secret-store.ts'
import type { OpenBao } from '#tests/peers/openbao.ts'

interface CallsUnderTest {
  readonly service: VaultCallsOptions['service']
  readonly persons?: VaultCallsOptions['persons']
  readonly namespace?: string
}

export const textCredential = (text: string): Credential => ({ kind: 'text', text })

/** Calls of the store, and everything that a test sees of them: their requests and log lines. The clock can be moved. */
export function openCalls(url: string, { service, persons = null, namespace }: CallsUnderTest) {
  const requests: string[] = []
  const answers: Promise<unknown>[] = []
  const lines: { readonly level: string; readonly fields: unknown; readonly text: unknown }[] = []
  let passedMs = 0
  const clock = { now: () => Date.now() + passedMs }
  const line =
    (level: string) =>
    (...[fields, text]: unknown[]) =>
      void lines.push({ level, fields, text })
  const log = { info: line('info'), warn: line('warn'), error: line('error') }
  const client = createVaultClient({
    address: new URL(url),
    namespace: namespace ?? null,
    authority: null,
    log,
    clock,
  })
  const recording: VaultClient = {
    send(request) {
      requests.push(request.path)
      const answer = client.send(request)
      answers.push(answer)
      return answer
    },
    health: () => client.health(),
  }
  const calls = createVaultCalls({ client: recording, service, persons, clock })
  return {
    calls,
    lines,
    /** Ends when all requests are answered, and what follows from the answers is asked. */
    async settled() {
      await Promise.all(answers)
      await new Promise((resolve) => setImmediate(resolve))
    },
    count: (path: string) => requests.filter((request) => request === path).length,
    read: (path: string, actor: SecretActor = SERVICE) =>
      calls.call(actor, { method: 'GET', path, repeatable: true }, `read on ${path}`),
    /** Moves the clock, which may jump back too. */
    pass(ms: number) {
      passedMs += ms
    },
  }
}

/** A path that the policy `reader` allows to read, and that has an entry. */
export const OPEN = 'secret/data/open/entry'
/** A path that no policy of the tests allows. */
export const CLOSED = 'secret/data/closed/entry'

const SELF = 'path "auth/token/lookup-self" { capabilities = ["read"] }'

/** The policies `reader`, and `self` of tokens that may look at themselves. */
export async function furnishReader(bao: OpenBao): Promise<void> {
  await bao.policy('self', SELF)
  await bao.policy('reader', 'path "secret/data/open/*" { capabilities = ["read"] }')
  await bao.must('POST', OPEN, { data: { KEY: 'value' } })
}

/** An auth method at a mount of its own. */
export async function mountMethod(bao: OpenBao, type: string): Promise<string> {
  const mount = `${type}-${crypto.randomUUID().slice(0, 8)}`
  await bao.must('POST', `sys/auth/${mount}`, { type })
  return mount
}
