import { useSignal } from '@preact/signals'
import { type AnswerOf, call } from '../../api/call.ts'
import { refresh, useResource } from '../../api/resource.ts'
import type { Problem } from '../../api/result.ts'
import { Act } from '../../ui/act.tsx'
import { announce } from '../../ui/announce.ts'
import { Card, Row } from '../../ui/card.tsx'
import { AnswerState, ProblemNote } from '../../ui/parts.tsx'
import { AskingAct } from '../../ui/question.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'
import { counted } from '../../ui/words.ts'

const GRANTS = '/api/v1/grants'

type Grant = AnswerOf<'get', typeof GRANTS>[number]

/** The programs that act for the person. */
export function OwnGrants() {
  const list = useResource(GRANTS)
  const failed = useSignal<Problem | undefined>(undefined)

  async function end({ id, client }: Grant) {
    const answer = await call('delete', '/api/v1/grants/{id}', { params: { id } })
    failed.value = answer.ok ? undefined : answer.problem
    if (answer.ok) announce(`Ended the access of ${client.name}`)
    await refresh(GRANTS)
  }

  async function endAll() {
    const answer = await call('delete', GRANTS)
    if (!answer.ok) return answer.problem
    announce(`Ended ${counted(answer.value.value.ended, 'program')}`)
    await refresh(GRANTS)
    return undefined
  }

  const grants = list.value ?? []
  return (
    <Card
      id="grants"
      title="Programs that act for you"
      end={
        <AskingAct
          label="End all…"
          reason={grants.length === 0 ? 'No program acts for you' : undefined}
          title="End all programs"
          act="End them"
          onAct={endAll}
        >
          <p>
            {counted(grants.length, 'program')} will not act for you any more. Your browsers stay
            signed in.
          </p>
        </AskingAct>
      }
    >
      <AnswerState answer={list}>Loading your programs…</AnswerState>
      {failed.value !== undefined && <ProblemNote problem={failed.value} />}
      {list.value?.length === 0 && (
        <p class="none">
          None. <code>portico login {location.origin}</code> lets the command line act for you.
        </p>
      )}
      <ul class="rows">
        {grants.map((one) => (
          <GrantRow key={one.id} one={one} onEnd={end} />
        ))}
      </ul>
    </Card>
  )
}

interface GrantRowProps {
  readonly one: Grant
  readonly onEnd: (one: Grant) => unknown
}

function GrantRow({ one, onEnd }: GrantRowProps) {
  const { kind, client, scopes, teams, address, lastUsedAt, createdAt, expiresAt } = one
  return (
    <Row
      icon={kind === 'cli' ? 'terminal' : 'key'}
      title={
        <>
          <bdi title={visible(client.id)}>{visible(client.name)}</bdi>
          {teams !== null && ` · for ${teams.join(', ')} alone`}
        </>
      }
      facts={
        <>
          <span>
            <code>{scopes.join(' ')}</code>
          </span>
          <span>
            last used <Time at={lastUsedAt} />
          </span>
          <span>
            allowed <Time at={createdAt} />
          </span>
          {address !== null && (
            <span>
              from <bdi>{address}</bdi>
            </span>
          )}
          <span>
            ends <Time at={expiresAt} />
          </span>
        </>
      }
      end={
        <Act onClick={() => onEnd(one)}>
          End<span class="sr"> {client.name}</span>
        </Act>
      }
    />
  )
}
