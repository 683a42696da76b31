import { signInUrl } from '../api/session.ts'
import type { Problem } from '../api/result.ts'
import { Brand } from '../ui/brand.tsx'
import { PageHead } from '../ui/page-head.tsx'

/** Shown in place of every page to people without a session. */
export const SignIn = ({ problem }: { readonly problem: Problem }) => (
  <main class="sign-in">
    <Brand />
    <PageHead title="Sign in to Portico" />
    <p>
      {problem.code === 'session_invalid'
        ? 'Your session has ended. Sign in again to come back to this page.'
        : 'Find every service, start a new one, and see your own pods.'}
    </p>
    <a class="button primary" href={signInUrl()}>
      Sign in
    </a>
  </main>
)
