import type { BrowserRequest } from '../domain/access/sign-in/sign-in.ts'
import { contextOf } from './request-context.ts'

export function browserRequest(request: Request): BrowserRequest {
  const { requestId, address, session } = contextOf(request)
  return {
    requestId,
    address,
    userAgent: request.headers.get('user-agent'),
    cookies: request.headers.get('cookie'),
    sessionToken: session.kind === 'active' ? session.token : null,
  }
}
