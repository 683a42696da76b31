import { useResource } from '../../api/resource.ts'
import { Card } from '../../ui/card.tsx'
import { AnswerState, Status } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'
import type { Word } from '../../ui/words.ts'
import { WORDS } from './words.ts'

const WORKS: Word = { tone: 'ok', icon: 'check', label: 'Works' }
const FAILS: Word = { tone: 'bad', icon: 'cross', label: 'Fails' }

/** Each round of checks asks every system. */
const EVERY_MS = 5 * 60_000

/** `identity_provider` → `Identity provider`. */
const titleOf = (name: string) =>
  `${name.charAt(0).toUpperCase()}${name.slice(1)}`.replace('_', ' ')

/** What Portico depends on, as it has just been tried. The sentences of a failure are open. */
export function Connections() {
  const answer = useResource('/api/v1/connections', { everyMs: EVERY_MS })
  const { value } = answer
  return (
    <Card id="connections" title={WORDS.connections} end={value && <Time at={value.checkedAt} />}>
      <AnswerState answer={answer}>Trying each…</AnswerState>
      <ul class="rows home-facts">
        {value?.checks.map(({ name, ok, findings }) => (
          <li key={name}>
            <details open={!ok}>
              <summary>{titleOf(name)}</summary>
              {findings
                .filter((finding) => ok || !finding.ok)
                .map(({ text }) => (
                  <p key={text}>{visible(text)}</p>
                ))}
            </details>
            <Status of={ok ? WORKS : FAILS} />
          </li>
        ))}
      </ul>
    </Card>
  )
}
