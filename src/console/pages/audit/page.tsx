import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { call } from '../../api/call.ts'
import { useResource } from '../../api/resource.ts'
import type { Problem } from '../../api/result.ts'
import { session } from '../../api/session.ts'
import { query } from '../../router.ts'
import { AnswerState } from '../../ui/answer-state.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Act, Card, Empty, Loading, ProblemNote } from '../../ui/parts.tsx'
import { Filters } from './filters.tsx'
import { Row } from './row.tsx'
import { actionFilter, type AuditRecord, joinPages } from './trail.ts'
import { WORDS } from './words.ts'

const PAGE = 50

/** The records of the address. Without a team everybody but the platform team is refused; their first team stands in. */
function useFilter() {
  const person = session.value
  const read = (name: string) => query.value.get(name) ?? undefined
  return {
    team: read('team') ?? (person?.platform === false ? person.teams[0] : undefined),
    entity: read('entity'),
    actor: read('actor'),
    ...actionFilter(read('action')),
  }
}

export default function Audit() {
  const person = session.value
  const filter = useFilter()
  if (person === undefined) return <Loading>Loading…</Loading>
  const isNobody = !person.platform && person.teams.length === 0
  return (
    <>
      <PageHead title="Audit" />
      {isNobody ? (
        <Empty title={WORDS.noTeam}>
          <p>{WORDS.forMembers}</p>
        </Empty>
      ) : (
        <>
          <Filters filter={filter} />
          <Trail key={JSON.stringify(filter)} filter={filter} />
        </>
      )}
    </>
  )
}

function Trail({ filter }: { readonly filter: ReturnType<typeof useFilter> }) {
  const seen = useSignal<readonly AuditRecord[]>([])
  const isWhole = useSignal(false)
  const isBusy = useSignal(false)
  const failed = useSignal<Problem | undefined>(undefined)
  const first = useResource('/api/v1/audit', { query: { ...filter, limit: PAGE } })
  const { value } = first
  useEffect(() => {
    if (value !== undefined) seen.value = joinPages(seen.peek(), value)
  }, [value])

  async function showMore() {
    isBusy.value = true
    const before = seen.peek().at(-1)?.id
    const answer = await call('get', '/api/v1/audit', { query: { ...filter, limit: PAGE, before } })
    isBusy.value = false
    failed.value = answer.ok ? undefined : answer.problem
    if (!answer.ok) return
    seen.value = [...seen.peek(), ...answer.value.value]
    isWhole.value = !answer.value.headers.has('link')
  }

  const hasMore = !isWhole.value && first.headers?.has('link') === true
  const shown = seen.value.length === 0 ? value : seen.value
  return (
    <>
      <AnswerState answer={first} />
      {shown !== undefined && <Records records={shown} />}
      {failed.value !== undefined && <ProblemNote problem={failed.value} retry={showMore} />}
      {hasMore && (
        <p class="foot">
          <Act isBusy={isBusy.value} onClick={showMore}>
            {WORDS.more}
          </Act>
        </p>
      )}
    </>
  )
}

function Records({ records }: { readonly records: readonly AuditRecord[] }) {
  if (records.length === 0) {
    return (
      <Empty title={WORDS.none}>
        <p>{WORDS.kept}</p>
      </Empty>
    )
  }
  return (
    <Card id="records" title={WORDS.title}>
      <ul class="rows">
        {records.map((record) => (
          <Row key={record.id} record={record} />
        ))}
      </ul>
    </Card>
  )
}
