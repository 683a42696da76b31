import { isAnswered, type Resource, useResource } from '../../api/resource.ts'
import { session } from '../../api/session.ts'
import type { PageProps } from '../../paths.ts'
import { Card, Fact } from '../../ui/card.tsx'
import { EntityLink } from '../../ui/link.tsx'
import { AnswerState, Loading } from '../../ui/parts.tsx'
import { About } from '../entity/about.tsx'
import { Contents } from '../entity/contents.tsx'
import type { Entity } from '../entity/entity.ts'
import { EntityHead } from '../entity/head.tsx'
import { Missing } from '../entity/missing.tsx'
import { RelationList } from '../entity/relation-list.tsx'
import { WITHOUT_CONTENTS } from '../entity/relations.ts'
import { Source } from '../entity/source.tsx'
import { useEntity } from '../entity/use-entity.ts'
import { Broken } from '../home/broken.tsx'
import { Services } from '../home/services.tsx'
import { useServices } from '../home/use-inbox.ts'
import { Waiting } from '../home/waiting.tsx'
import { membersOf, rolesOf } from './members.ts'

const USERS_MAX = 1_000
const USER_FIELDS = ['metadata.name', 'metadata.title', 'spec']

/** A team: what it owns by its health, what waits for somebody, and who may do what. */
export default function GroupPage({ parameters }: PageProps<'group'>) {
  const name = parameters.name.toLowerCase()
  const address = { kind: 'group', name }
  const answer = useEntity(address)
  const { health, services, broken, inbox } = useServices(session.value, { team: name })
  // A team may own services and have no file of its own.
  const isMissing = answer.problem?.code === 'entity_not_found'
  // Parts come together, so that none moves another.
  const isSettled = [health, services, inbox.moves].every(isAnswered)
  const isNothing = isMissing && services.value?.length === 0
  return (
    <>
      <EntityHead answer={answer} address={address} />
      {isNothing && answer.problem !== undefined && (
        <Missing problem={answer.problem} kind="group" />
      )}
      {!isMissing && <AnswerState answer={answer} />}
      {!isNothing && (
        <div class="two">
          <div class="stack">
            {!isSettled && <Loading>Loading…</Loading>}
            {isSettled && broken.length > 0 && <Broken health={health} broken={broken} />}
            {isSettled && <Waiting answer={inbox} />}
            {isSettled && (
              <Services
                title="Services"
                answer={services}
                health={health.value}
                filter={{ owner: name }}
              />
            )}
            {isSettled && <Contents filter={{ title: 'Owns', query: { owner: name } }} />}
          </div>
          <Aside answer={answer} name={name} />
        </div>
      )}
    </>
  )
}

interface AsideProps {
  readonly answer: Resource<Entity>
  readonly name: string
}

function Aside({ answer: { value }, name }: AsideProps) {
  const relations = useResource(
    value === undefined ? null : '/api/v1/catalog/entities/{kind}/{name}/relations',
    { params: { kind: 'group', name }, query: { type: WITHOUT_CONTENTS }, topic: 'catalog' },
  )
  const roles = rolesOf(name, session.value)
  const users = useResource('/api/v1/catalog/entities', {
    query: { kind: 'user', limit: USERS_MAX, fields: USER_FIELDS },
    topic: 'catalog',
  })
  const members = membersOf(name, value?.spec ?? {}, users.value ?? [])
  return (
    <aside class="stack" aria-label="About this team">
      <Card id="roles" title="Who may do what">
        <dl class="facts">
          {roles.map(({ group, may, isYours }) => (
            <Fact key={group} label={may}>
              <code>{group}</code>
              {isYours && <span class="muted">you are in it</span>}
            </Fact>
          ))}
        </dl>
      </Card>
      {members.length > 0 && (
        <Card id="members" title="Members in the catalog">
          <ul class="facts">
            {members.map(({ user, title, isKnown }) => (
              <li key={user}>
                {isKnown ? (
                  <EntityLink to={{ kind: 'user', name: user, title }} />
                ) : (
                  <bdi>{title}</bdi>
                )}
              </li>
            ))}
          </ul>
        </Card>
      )}
      {value !== undefined && <About entity={value} relations={relations.value ?? []} />}
      <RelationList answer={relations} hasContents />
      {value !== undefined && <Source entity={value} />}
    </aside>
  )
}
