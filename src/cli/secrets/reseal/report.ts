import { shown, unreadText } from '../unread-text.ts'
import type { ResealOutcome } from './reseal.ts'

/** Puts outcomes into lines, and counts which key holds how much. Lines have names of entries and keys, and nothing about values. */
export function createResealReport({
  ids,
  dryRun,
}: {
  /** Ids of `SECRET_STORE_KEYS`; the first one seals. */
  readonly ids: readonly [string, ...string[]]
  readonly dryRun: boolean
}) {
  const held = new Map<string, number>(ids.map((id) => [id, 0]))
  let failed = 0
  const hold = (keyId: string) => held.set(keyId, (held.get(keyId) ?? 0) + 1)

  return {
    /** `null` for a version that is as it should be. */
    line(outcome: ResealOutcome): string | null {
      const about = `${outcome.path}, version ${outcome.version}`
      switch (outcome.kind) {
        case 'gone':
          return null
        case 'current':
          hold(ids[0])
          return null
        case 'resealed':
          hold(dryRun ? outcome.keyId : ids[0])
          return dryRun
            ? `${about}: is sealed by ${shown(outcome.keyId)}, and would be resealed`
            : `${about}: was sealed by ${shown(outcome.keyId)}, and is resealed`
        case 'unopened':
          failed += 1
          hold(outcome.keyId)
          return `${about}: FAILED: it is sealed by ${shown(outcome.keyId)}, and no key of SECRET_STORE_KEYS opens it`
        case 'failed':
          failed += 1
          return `${about}: FAILED: ${unreadText(outcome.failure)}`
      }
    },

    /** Whether everything is sealed by the first key, and which key holds how much. */
    summary(): { readonly ok: boolean; readonly text: string } {
      const lines = [...held].map(([id, versions]) => {
        const role = id === ids[0] ? ' seals, and' : ids.includes(id) ? '' : ', an unknown key,'
        const what =
          versions === 0 ? 'nothing' : versions === 1 ? '1 version' : `${versions} versions`
        return `${shown(id)}${role} holds ${what}.`
      })
      const empty = ids.slice(1).filter((id) => held.get(id) === 0)
      if (failed === 0 && empty.length > 0) {
        lines.push(
          `${empty.join(', ')}: can leave SECRET_STORE_KEYS once every process seals with ${ids[0]}.`,
        )
      }
      if (dryRun) lines.push('Nothing was written: this was a dry run.')
      return { ok: failed === 0, text: lines.join('\n') }
    },
  }
}
