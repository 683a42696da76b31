import { Type } from 'typebox'
import type { Session } from '../domain/access/sessions/session.ts'
import type { ListedSession } from '../ports/database/sessions.ts'
import { Nullable } from '../schema/nullable.ts'

export const PersonSession = Type.Object(
  {
    id: Type.String({ description: 'Ends the session with `DELETE`; it opens nothing' }),
    createdAt: Type.String({ format: 'date-time' }),
    lastSeenAt: Type.String({
      format: 'date-time',
      description: 'The last request, to within a minute',
    }),
    address: Nullable(Type.String({ description: 'Address of the client at the sign-in' })),
    userAgent: Nullable(Type.String({ description: 'User agent of the client at the sign-in' })),
    current: Type.Boolean({ description: 'Whether it is the session of this request' }),
  },
  { $id: 'PersonSession' },
)

export const exampleSession = {
  id: 'c0535e4be2b79ffd93291305436bf889314e4a3faec05ecffcbb7df31ad9e51a',
  createdAt: '2026-11-21T10:00:00.000Z',
  lastSeenAt: '2026-11-21T12:34:00.000Z',
  address: '192.0.2.7',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0',
  current: true,
}

export const EndedSessions = Type.Object(
  { ended: Type.Integer({ minimum: 0 }) },
  { $id: 'EndedSessions' },
)
export const endedExample = { ended: 2 }

export const sessionBody = (
  { idHash, createdAt, seenAt, address, userAgent }: ListedSession,
  current: Pick<Session, 'idHash'>,
) => ({
  id: idHash,
  createdAt: new Date(createdAt).toISOString(),
  lastSeenAt: new Date(seenAt).toISOString(),
  address,
  userAgent,
  current: idHash === current.idHash,
})
