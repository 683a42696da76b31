import { useSignal } from '@preact/signals'
import { call } from '../../api/call.ts'
import { refresh } from '../../api/resource.ts'
import { type Session, session } from '../../api/session.ts'
import { announce } from '../../ui/announce.ts'
import { Card, Fact } from '../../ui/card.tsx'
import { Field } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Loading } from '../../ui/parts.tsx'
import { AskingAct } from '../../ui/question.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'
import { counted } from '../../ui/words.ts'
import { OwnGrants, OwnSessions } from './own-access.tsx'

export default function Sessions() {
  const person = session.value
  return (
    <>
      <PageHead title="Your account" />
      {person === undefined ? (
        <Loading>Loading…</Loading>
      ) : (
        <div class="stack">
          <Person person={person} />
          <OwnSessions />
          <OwnGrants />
          {person.platform && <EndOfSomebody />}
        </div>
      )}
    </>
  )
}

function Person({ person }: { readonly person: Session }) {
  const { name, subject, email, groups, groupsKnown, groupsAdvice, teams, platform } = person
  const facts: readonly (readonly [string, readonly string[]])[] = [
    ['Name', [name]],
    ['Subject at the identity provider', [subject]],
    ['E-mail', email === null ? [] : [email]],
    ['Teams', platform ? ['Platform team', ...teams] : teams],
    ['Groups', groups],
  ]
  return (
    <Card id="person" title="Who you are">
      <dl class="facts wide">
        {facts.map(([label, texts]) => (
          <Fact key={label} label={label}>
            {texts.length === 0 && <span class="muted">None</span>}
            {texts.map((text) => (
              <bdi key={text}>{visible(text)}</bdi>
            ))}
          </Fact>
        ))}
        <Fact label="Session ends">
          <Time at={person.expiresAt} />
        </Fact>
      </dl>
      {groupsAdvice !== null && (
        <div class="problem" data-tone="warn">
          <Icon name="warn" />
          <p>
            {!groupsKnown && 'The identity provider did not list your groups. '}
            {groupsAdvice}
          </p>
        </div>
      )}
    </Card>
  )
}

/** For the platform team, when somebody has lost a machine or has left. */
function EndOfSomebody() {
  const subject = useSignal('')

  async function end() {
    const answer = await call('post', '/api/v1/auth/sessions/revoke', {
      body: { subject: subject.value },
    })
    if (!answer.ok) return answer.problem
    announce(`Ended ${counted(answer.value.value.ended, 'session')} of ${subject.value}`)
    subject.value = ''
    await refresh('/api/v1/auth/sessions')
    return undefined
  }

  return (
    <Card id="somebody" title="End the sessions of somebody">
      <form
        class="sessions-form"
        onSubmit={(event) => {
          event.preventDefault()
          event.currentTarget.querySelector('button')?.click()
        }}
      >
        <Field
          path="/subject"
          label="Subject at the identity provider"
          value={subject.value}
          help="As in the audit trail. They can sign in again, unless the provider refuses them."
          onInput={(text) => (subject.value = text.trim())}
        />
        <AskingAct
          label="End all sessions…"
          reason={subject.value === '' ? 'Name the person first' : undefined}
          title={`End all sessions of ${subject.value}`}
          act="End all"
          onAct={end}
        >
          <p>
            Every browser of <bdi>{subject.value}</bdi> is signed out within a second, with
            everything that runs in it.
          </p>
        </AskingAct>
      </form>
    </Card>
  )
}
