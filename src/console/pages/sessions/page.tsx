import { session } from '../../api/session.ts'
import { Icon } from '../../ui/icon.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Card, Fact } from '../../ui/card.tsx'
import { Loading } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'
import { EndOfSomebody } from './end-of-somebody.tsx'
import { OwnGrants } from './own-grants.tsx'
import { OwnSessions } from './own-sessions.tsx'

export default function Sessions() {
  const person = session.value
  return (
    <>
      <PageHead title="Your account" />
      {person === undefined ? (
        <Loading>Loading…</Loading>
      ) : (
        <div class="stack">
          <Person />
          <OwnSessions />
          <OwnGrants />
          {person.platform && <EndOfSomebody />}
        </div>
      )}
    </>
  )
}

function Person() {
  const person = session.value
  if (person === undefined) return null
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
