import type { SecretActors } from '../../domain/access/secret-actor.ts'
import type { Session } from '../../domain/access/sessions/session.ts'
import type { Caller } from '../../domain/scaffold/secret-right.ts'
import { contextOf } from '../../http/request-context.ts'

export function callerOf(request: Request, session: Session, secretActors: SecretActors): Caller {
  const { requestId, address } = contextOf(request)
  return {
    principal: session.principal,
    requestId,
    address,
    secretActor: () => secretActors.of(session, { requestId, address }),
  }
}
