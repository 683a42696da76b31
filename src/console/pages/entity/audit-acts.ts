import type { Tone } from '../../ui/words.ts'
import type { IconName } from '../../ui/icons.ts'
import type { AuditRecord } from '../audit/trail.ts'

export interface AuditAct {
  readonly id: string
  readonly at: string
  readonly person: string
  readonly words: string
  readonly icon: IconName
  readonly tone: Tone
  readonly pullRequest: number | undefined
  /** As the audit names it: `component/shop`. */
  readonly target: string
  readonly isRefused: boolean
}

/** Acts of people on an entity: one row for a request, and no previews. */
export const actsIn = (records: readonly AuditRecord[]): readonly AuditAct[] => {
  const ended = new Set(
    records.filter(({ result }) => result !== 'started').map((record) => requestOf(record)),
  )
  return records
    .filter(({ details }) => details['dryRun'] !== true)
    .filter((record) => record.result !== 'started' || !ended.has(requestOf(record)))
    .map(actOf)
}

/** A record without a request stands for itself. */
const requestOf = ({ id, action, requestId }: AuditRecord) => `${action} ${requestId ?? id}`

const ICONS: Readonly<Record<string, IconName>> = {
  'promotion.propose': 'branch',
  'promotion.confirm': 'check',
  'promotion.deprecate': 'box',
  'scaffold.start': 'plus',
  'cluster.restart': 'arrows',
}

function actOf(record: AuditRecord): AuditAct {
  const { id, at, actor, action, target, result, details } = record
  const number = details['pullRequest']
  const isBad = result === 'denied' || result === 'failed'
  return {
    id,
    at,
    person: actor.name,
    words: `${wordsOf(record)}${endOf(record)}`,
    icon: isBad ? 'cross' : (ICONS[action] ?? 'clock'),
    tone: isBad ? 'bad' : 'idle',
    pullRequest: typeof number === 'number' ? number : undefined,
    target,
    isRefused: result === 'denied',
  }
}

function wordsOf({ action, details }: AuditRecord): string {
  const target = typeof details['target'] === 'string' ? details['target'] : undefined
  switch (action) {
    case 'promotion.propose':
      return details['kind'] === 'release'
        ? `proposed a release in ${target ?? 'an environment'}`
        : `proposed a promotion to ${target ?? 'the next environment'}`
    case 'promotion.confirm':
      return target === undefined ? 'confirmed a promotion' : `confirmed ${target}`
    case 'promotion.deprecate':
      return 'proposed to deprecate it'
    case 'scaffold.start':
      return 'started the project'
    case 'scaffold.retry':
      return 'started the project again'
    case 'cluster.restart':
      return 'restarted a workload'
    default:
      return action
  }
}

function endOf({ result, code }: AuditRecord): string {
  if (result === 'started') return ': not finished'
  if (result !== 'denied' && result !== 'failed') return ''
  return `: ${result === 'denied' ? 'refused' : 'failed'}${code === null ? '' : ` (${code})`}`
}
