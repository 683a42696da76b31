import { failureText } from '../../../lib/adapters/secret-store/vault/failure-text.ts'
import type { CopyOutcome, CopiedEntry, CopyChoices } from './copy.ts'
import { shown, unreadText } from '../unread-text.ts'

/** Counts outcomes, and puts each into a line. Lines have names of entries and keys, and nothing about values. */
export function createCopyReport({ dryRun, overwrite }: CopyChoices) {
  const counts = { made: 0, changed: 0, unchanged: 0, deleted: 0, failed: 0, 'not tried': 0 }
  let kept = 0

  function count(outcome: CopyOutcome): void {
    switch (outcome.kind) {
      case 'copied':
        counts[resultOf(outcome.entry)] += 1
        kept += outcome.entry.kept.length
        return
      case 'deleted':
        counts.deleted += 1
        return
      case 'unread':
      case 'unwritten':
        counts.failed += 1
        return
      case 'not_tried':
        counts['not tried'] += 1
        return
    }
  }

  return {
    line(outcome: CopyOutcome): string {
      count(outcome)
      return `${shown(outcome.name)}: ${textOf(outcome, dryRun)}`
    },

    /** Whether everything was copied, and the last lines. */
    summary(): { readonly ok: boolean; readonly text: string } {
      const parts = Object.entries(counts).flatMap(([result, number]) =>
        number === 0 ? [] : [`${number} ${result}`],
      )
      const total = Object.values(counts).reduce((sum, number) => sum + number, 0)
      const ok = counts.failed === 0 && counts['not tried'] === 0
      const lines = [
        `${total} ${total === 1 ? 'entry' : 'entries'}${parts.length > 0 ? `: ${parts.join(', ')}` : ''}.`,
        ...(dryRun ? ['Nothing was written: this was a dry run.'] : []),
        ...(kept > 0 && !overwrite
          ? ['Keys that vault has already stay as they are; --overwrite replaces them.']
          : []),
        ...(ok
          ? []
          : [
              'Not everything is copied. Mend what is named and run the command again; what is copied stays.',
            ]),
      ]
      return { ok, text: lines.join('\n') }
    },
  }
}

const resultOf = ({ isNew, added, replaced }: CopiedEntry) => {
  if (isNew) return 'made'
  return added.length + replaced.length > 0 ? 'changed' : 'unchanged'
}

function textOf(outcome: CopyOutcome, dryRun: boolean): string {
  switch (outcome.kind) {
    case 'copied':
      return copiedText(outcome.entry, dryRun)
    case 'deleted':
      return 'deleted, and not copied'
    case 'unread':
      return `FAILED: ${unreadText(outcome.failure)}`
    case 'unwritten':
      return `FAILED: ${failureText(outcome.failure)}`
    case 'not_tried':
      return 'not tried'
  }
}

function copiedText({ isNew, added, replaced, kept }: CopiedEntry, dryRun: boolean): string {
  const done = (participle: string) => (dryRun ? `would be ${participle}` : participle)
  if (isNew) return `${done('made')}, ${keysText(added)}`
  const parts = [
    ...(added.length > 0 ? [`${keysText(added)} ${done('added')}`] : []),
    ...(replaced.length > 0 ? [`${keysText(replaced)} ${done('replaced')}`] : []),
    ...(kept.length > 0 ? [`${keysText(kept)} left as in vault`] : []),
  ]
  return parts.length > 0 ? parts.join('; ') : 'there already, without keys'
}

function keysText(keys: readonly string[]): string {
  if (keys.length === 0) return 'without keys'
  return `${keys.length} ${keys.length === 1 ? 'key' : 'keys'} (${keys.map(shown).join(', ')})`
}
