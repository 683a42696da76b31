import { pathOf } from '../../paths.ts'
import { Copy } from '../../ui/copy.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Status } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'
import { wordOf } from '../../ui/words.ts'
import { actionWords, type AuditRecord, entityOf, factsOf } from './trail.ts'

/** One decision. The facts behind it open below. */
export function Row({ record }: { readonly record: AuditRecord }) {
  const { action, actor, at, result, target, team } = record
  const entity = entityOf(target)
  const { tone, icon } = wordOf(result)
  return (
    <li data-tone={tone}>
      <Icon name={icon} />
      <div>
        <p>
          <bdi>{visible(actor.name)}</bdi> · {actionWords(action)}
        </p>
        <small>
          <Time at={at} />
          {entity === null ? (
            <bdi>{visible(target)}</bdi>
          ) : (
            <a href={pathOf('entity', entity)}>
              <bdi>{target}</bdi>
            </a>
          )}
          {team !== null && (
            <span>
              Team <bdi>{team}</bdi>
            </span>
          )}
        </small>
        <details class="audit-facts">
          <summary>
            Facts<span class="sr"> of this record</span>
          </summary>
          <dl class="facts wide">
            {factsOf(record).map(([name, text]) => (
              <div key={name}>
                <dt>{visible(name)}</dt>
                <dd>
                  <bdi class="mono">{visible(text)}</bdi>
                  {name === 'Request' && <Copy text={text} name="the id of the request" />}
                </dd>
              </div>
            ))}
          </dl>
        </details>
      </div>
      <div class="end">
        <Status of={result} />
      </div>
    </li>
  )
}
