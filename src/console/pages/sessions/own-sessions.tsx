import { useSignal } from '@preact/signals'
import { type AnswerOf, call } from '../../api/call.ts'
import { refresh, useResource } from '../../api/resource.ts'
import type { Problem } from '../../api/result.ts'
import { Act } from '../../ui/act.tsx'
import { announce } from '../../ui/announce.ts'
import { Card, Row } from '../../ui/card.tsx'
import { AnswerState, ProblemNote } from '../../ui/parts.tsx'
import { AskingAct } from '../../ui/question.tsx'
import { signOut } from '../../ui/sign-out.ts'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'
import { counted } from '../../ui/words.ts'

const SESSIONS = '/api/v1/auth/sessions'

type PersonSession = AnswerOf<'get', typeof SESSIONS>[number]

/** The browsers in which the person is signed in. */
export function OwnSessions() {
  const list = useResource(SESSIONS)
  const failed = useSignal<Problem | undefined>(undefined)

  async function end({ id, current, userAgent }: PersonSession) {
    if (current) {
      await signOut()
      return
    }
    const answer = await call('delete', '/api/v1/auth/sessions/{id}', { params: { id } })
    failed.value = answer.ok ? undefined : answer.problem
    if (answer.ok) announce(`Signed out of ${deviceWords(userAgent)}`)
    await refresh(SESSIONS)
  }

  async function endOthers() {
    const answer = await call('delete', SESSIONS)
    if (!answer.ok) return answer.problem
    announce(`Ended ${counted(answer.value.value.ended, 'session')}`)
    await refresh(SESSIONS)
    return undefined
  }

  const others = list.value?.filter(({ current }) => !current) ?? []
  return (
    <Card
      id="sessions"
      title="Your sessions"
      end={
        <AskingAct
          label="Sign out everywhere else…"
          reason={others.length === 0 ? 'You are signed in nowhere else' : undefined}
          title="Sign out everywhere else"
          act="Sign out"
          onAct={endOthers}
        >
          <p>
            {counted(others.length, 'other session')} will end at once, with everything that runs in
            them. This browser stays signed in.
          </p>
        </AskingAct>
      }
    >
      <AnswerState answer={list}>Loading your sessions…</AnswerState>
      {failed.value !== undefined && <ProblemNote problem={failed.value} />}
      <ul class="rows">
        {list.value?.map((one) => (
          <SessionRow key={one.id} one={one} onEnd={end} />
        ))}
      </ul>
    </Card>
  )
}

interface SessionRowProps {
  readonly one: PersonSession
  readonly onEnd: (one: PersonSession) => unknown
}

function SessionRow({ one, onEnd }: SessionRowProps) {
  const device = deviceWords(one.userAgent)
  return (
    <Row
      icon={one.current ? 'check' : 'key'}
      title={
        <>
          <bdi title={visible(one.userAgent ?? '')}>{visible(device)}</bdi>
          {one.current && ' · this browser'}
        </>
      }
      facts={
        <>
          {one.address !== null && <bdi>{one.address}</bdi>}
          <span>
            last seen <Time at={one.lastSeenAt} />
          </span>
          <span>
            signed in <Time at={one.createdAt} />
          </span>
        </>
      }
      end={
        <Act onClick={() => onEnd(one)}>
          Sign out<span class="sr"> of {device}</span>
        </Act>
      }
    />
  )
}

/** More specific names first: Edge and Opera say Chrome as well, and Chrome says Safari. */
const PROGRAMS: readonly (readonly [RegExp, string])[] = [
  [/Edg(?:A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrom(?:e|ium)\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
  [/^curl\//, 'curl'],
]

/** Phones say `Linux` and `Mac OS X` as well. */
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/Android/, 'Android'],
  [/iPhone/, 'an iPhone'],
  [/iPad/, 'an iPad'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
]

const found = (table: typeof PROGRAMS, text: string): string | undefined =>
  table.find(([pattern]) => pattern.test(text))?.[1]

/** `Firefox on Linux`. A client may send anything: text without a known name is shown as it is. */
function deviceWords(userAgent: string | null): string {
  const text = userAgent ?? ''
  const [program, system] = [found(PROGRAMS, text), found(SYSTEMS, text)]
  if (program === undefined)
    return system === undefined ? text || 'Unknown program' : `A program on ${system}`
  return system === undefined ? program : `${program} on ${system}`
}
