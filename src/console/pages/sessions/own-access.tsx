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
const GRANTS = '/api/v1/grants'

/** Ends one thing of a list of the person's own, or all that may be ended at once. */
function useEnding(path: typeof SESSIONS | typeof GRANTS) {
  const failed = useSignal<Problem | undefined>(undefined)
  return {
    /** Why the last one could not be ended. */
    failed: failed.value,
    async end(id: string, announcement: string) {
      const answer = await call('delete', `${path}/{id}`, { params: { id } })
      failed.value = answer.ok ? undefined : answer.problem
      if (answer.ok) announce(announcement)
      await refresh(path)
    },
    /** Answers with the problem, when it failed. */
    async endAll(one: string) {
      const answer = await call('delete', path)
      if (!answer.ok) return answer.problem
      announce(`Ended ${counted(answer.value.value.ended, one)}`)
      await refresh(path)
      return undefined
    },
  }
}

type PersonSession = AnswerOf<'get', typeof SESSIONS>[number]

/** The browsers in which the person is signed in. */
export function OwnSessions() {
  const list = useResource(SESSIONS)
  const { failed, ...ending } = useEnding(SESSIONS)
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
          onAct={() => ending.endAll('session')}
        >
          <p>
            {counted(others.length, 'other session')} will end at once, with everything that runs in
            them. This browser stays signed in.
          </p>
        </AskingAct>
      }
    >
      <AnswerState answer={list}>Loading your sessions…</AnswerState>
      {failed !== undefined && <ProblemNote problem={failed} />}
      <ul class="rows">
        {list.value?.map((one) => (
          <SessionRow
            key={one.id}
            one={one}
            onEnd={() =>
              one.current
                ? signOut()
                : ending.end(one.id, `Signed out of ${deviceWords(one.userAgent)}`)
            }
          />
        ))}
      </ul>
    </Card>
  )
}

interface SessionRowProps {
  readonly one: PersonSession
  readonly onEnd: () => unknown
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
        <Act onClick={onEnd}>
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

type Grant = AnswerOf<'get', typeof GRANTS>[number]

/** The programs that act for the person. */
export function OwnGrants() {
  const list = useResource(GRANTS)
  const { failed, ...ending } = useEnding(GRANTS)
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
          onAct={() => ending.endAll('program')}
        >
          <p>
            {counted(grants.length, 'program')} will not act for you any more. Your browsers stay
            signed in.
          </p>
        </AskingAct>
      }
    >
      <AnswerState answer={list}>Loading your programs…</AnswerState>
      {failed !== undefined && <ProblemNote problem={failed} />}
      {list.value?.length === 0 && (
        <p class="none">
          None. <code>portico login {location.origin}</code> lets the command line act for you.
        </p>
      )}
      <ul class="rows">
        {grants.map((one) => (
          <GrantRow
            key={one.id}
            one={one}
            onEnd={() => ending.end(one.id, `Ended the access of ${one.client.name}`)}
          />
        ))}
      </ul>
    </Card>
  )
}

function GrantRow({ one, onEnd }: { readonly one: Grant; readonly onEnd: () => unknown }) {
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
        <Act onClick={onEnd}>
          End<span class="sr"> {client.name}</span>
        </Act>
      }
    />
  )
}
