import { expect, test } from 'bun:test'
import { membersOf } from '#src/console/pages/group/members.ts'

const user = (name: string, memberOf: unknown, title?: string) => ({
  metadata: { name, ...(title !== undefined && { title }) },
  spec: { memberOf },
})

test('the members of a team are those of its file and of the files of users', () => {
  const users = [
    user('dana', ['group:acme/payments'], 'Dana Okafor'),
    user('marek', ['payments']),
    user('lee', ['shipping']),
    user('odd', 'payments'),
  ]
  expect(membersOf('payments', { members: ['user:zoe', 'marek', 7] }, users)).toStrictEqual([
    { user: 'dana', title: 'Dana Okafor', isKnown: true },
    { user: 'marek', title: 'marek', isKnown: true },
    { user: 'zoe', title: 'zoe', isKnown: false },
  ])
  expect(membersOf('ops', undefined, users)).toStrictEqual([])
})
