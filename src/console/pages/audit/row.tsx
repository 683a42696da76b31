import { useSignal } from '@preact/signals'
import { pathOf } from '../../paths.ts'
import { Copy } from '../../ui/copy.tsx'
import { Icon } from '../../ui/icon.tsx'
import { EntityLink } from '../../ui/link.tsx'
import { entityOf } from '../../ui/names.ts'
import { Fact, Row } from '../../ui/card.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'
import { wordOf } from '../../ui/words.ts'
import { actionWords, type AuditRecord, factsOf } from './trail.ts'

/** One decision. The facts behind it open below. */
export function RecordRow({ record }: { readonly record: AuditRecord }) {
  const isOpen = useSignal(false)
  const { id, action, actor, at, result, target, team } = record
  const entity = entityOf(target)
  const { tone, icon, label } = wordOf(result)
  return (
    <Row
      icon={icon}
      tone={tone}
      title={
        <>
          <bdi>{visible(actor.name)}</bdi> · {actionWords(action)}
        </>
      }
      facts={
        <>
          <span>{label}</span>
          <Time at={at} />
          {entity === null ? (
            <bdi>{visible(target)}</bdi>
          ) : (
            <EntityLink to={{ ...entity, title: target }} />
          )}
          {team !== null && (
            <span>
              Team <bdi>{team}</bdi>
            </span>
          )}
        </>
      }
      beside={
        <button
          type="button"
          class="button quiet"
          aria-expanded={isOpen.value}
          aria-controls={id}
          onClick={() => (isOpen.value = !isOpen.value)}
        >
          Details
          <Icon name="chevron" />
        </button>
      }
    >
      <div id={id} class="audit-facts" hidden={!isOpen.value}>
        {isOpen.value && <Facts record={record} />}
        {isOpen.value && <a href={pathOf('record', { id })}>Why, step by step</a>}
      </div>
    </Row>
  )
}

export const Facts = ({ record }: { readonly record: AuditRecord }) => (
  <dl class="facts wide">
    {factsOf(record).map(([name, text]) => (
      <Fact key={name} label={visible(name)}>
        <bdi class="mono">{visible(text)}</bdi>
        {name === 'Request' && <Copy text={text} name="the id of the request" />}
      </Fact>
    ))}
  </dl>
)
