import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { createSecrets, type SecretsOutcome } from '#src/lib/domain/promotion/secrets.ts'
import { AppName, EnvironmentName, secretPath, TeamName } from '#src/lib/names.ts'
import { type SecretEntry, type SecretStore, SERVICE } from '#src/lib/ports/secret-store.ts'
import { err, ok } from '#src/lib/result.ts'
import { ephemeralKeyring } from '#tests/support/ephemeral-keyring.ts'
import { createVirtualTime } from '#tests/support/virtual-time.ts'

const LEASE_MS = 6_000
const POLL_MS = 200

export type Values = Readonly<Record<string, string>>

/** One request that one process makes. */
export interface ProcessRequest {
  readonly values: Values
  readonly overwrite: boolean
  readonly startsAt: number
  /** How long its calls take, in turn: half of it before their effect, half of it after. */
  readonly latencies: readonly number[]
  /** The half of a call in which it dies, counted from 0; -1: never. */
  readonly diesAt: number
}

/** A write by somebody who has nothing to do with Portico. */
export interface ForeignWrite {
  readonly values: Values
  readonly at: number
}

export type ProcessEnd =
  | { readonly kind: 'died' }
  | { readonly kind: 'refused'; readonly code: string }
  | ({ readonly kind: 'done' } & SecretsOutcome)

/** A version of the entry. */
interface Version {
  readonly values: Values
  /** The values of the merge that made it; `null`: a foreign write. */
  readonly merged: Values | null
}

let entries = 0

/** Processes that share a database and a secret store, in virtual time. */
export async function openProcesses() {
  const opened = await openDatabase('sqlite::memory:')
  if (!opened.ok) throw new Error(opened.error.reason)
  const database = opened.value
  const keyring = ephemeralKeyring()

  return {
    /** Runs to the end, each time on an entry of its own. */
    async run(requests: readonly ProcessRequest[], foreign: readonly ForeignWrite[] = []) {
      entries += 1
      const path = secretPath(
        TeamName.of('payments'),
        AppName.of(`shop-${entries}`),
        EnvironmentName.of('dev'),
      )
      const time = createVirtualTime()
      const versions: Version[] = []
      const merges: Values[] = []
      const labels: string[] = []
      const add = (values: Values, merged: Values | null) =>
        versions.push({ values: { ...versions.at(-1)?.values, ...values }, merged })

      const store: SecretStore = {
        knowsPersons: false,
        describe: async () => ok(entryOf(versions, labels.length > 0)),
        async merge(_, expected, values) {
          merges.push(values)
          if (expected !== versions.length) return err({ kind: 'secret_conflict' })
          add(values, values)
          return ok(undefined)
        },
        async label() {
          labels.push('promotion')
          return ok(undefined)
        },
        mayCreate: async () => ok(undefined),
        access: async () => ok(undefined),
        check: async () => [],
        async close() {},
      }

      async function processOf(request: ProcessRequest): Promise<ProcessEnd> {
        const { latencies, diesAt } = request
        let halves = 0
        const half = (latency: number) => {
          if (halves++ === diesAt) throw new Error('the process died')
          return time.sleep(latency / 2)
        }
        /** The same port, with calls that take their time. */
        const slow = <Port extends object>(port: Port, names: readonly (keyof Port)[]): Port => {
          const copy = { ...port }
          for (const name of names) {
            const call = port[name]
            if (typeof call !== 'function') throw new Error(`${String(name)} is no method`)
            copy[name] = (async (...args: unknown[]) => {
              const latency = latencies[(halves / 2) % latencies.length] ?? 1
              await half(latency)
              const answer: unknown = await call.apply(port, args)
              await half(latency)
              return answer
            }) as Port[typeof name]
          }
          return copy
        }
        const secrets = createSecrets({
          secretStore: slow(store, ['describe', 'merge', 'label']),
          secretWrites: slow(database.secretWrites, ['find', 'replace']),
          digestKeyring: keyring,
          clock: { now: () => 0 },
        })(async () => ok({ actor: SERVICE }))
        await time.sleep(request.startsAt)
        return locked(async () => {
          for (;;) {
            const checked = await secrets.check({ path, ...request })
            const written = checked.ok ? await secrets.write(checked.value) : checked
            if (!written.ok && written.error.kind === 'secret_conflict') continue
            if (!written.ok) return { kind: 'refused', code: written.error.kind }
            if (written.value.isUnlabelled) await secrets.label({ path, ...request })
            return { kind: 'done', ...written.value }
          }
        })
      }

      const lock = { isHeld: false }
      /** One process at a time. The lock of one that died ends with its lease. */
      async function locked(work: () => Promise<ProcessEnd>): Promise<ProcessEnd> {
        while (lock.isHeld) await time.sleep(POLL_MS)
        lock.isHeld = true
        try {
          const end = await work()
          lock.isHeld = false
          return end
        } catch (error) {
          void time.start(async () => {
            await time.sleep(LEASE_MS)
            lock.isHeld = false
          })
          throw error
        }
      }

      const running = requests.map((request) => time.start(() => processOf(request).catch(death)))
      for (const { at, values } of foreign) {
        void time.start(async () => {
          await time.sleep(at)
          add(values, null)
        })
      }
      await time.run()
      const ends = await Promise.all(running)
      return { ends, versions, merges, labels }
    },
    [Symbol.asyncDispose]: () => database.close(),
  }
}

function death(reason: unknown): ProcessEnd {
  if (reason instanceof Error && reason.message === 'the process died') return { kind: 'died' }
  throw reason
}

const entryOf = (versions: readonly Version[], isLabelled: boolean): SecretEntry => {
  const last = versions.at(-1)
  return last === undefined
    ? { kind: 'absent', version: 0 }
    : {
        kind: 'present',
        version: versions.length,
        keys: Object.keys(last.values).toSorted(),
        origin: isLabelled ? { run: null } : null,
      }
}
