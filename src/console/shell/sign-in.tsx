import { signInUrl } from '../api/session.ts'
import type { Problem } from '../api/result.ts'
import { Brand } from '../ui/brand.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { WORDS } from './words.ts'

/** Shown in place of every page to people without a session. */
export const SignIn = ({ problem }: { readonly problem: Problem }) => (
  <main class="sign-in">
    <Brand />
    <PageHead title={WORDS.signIn} />
    <p>{problem.code === 'session_invalid' ? WORDS.signInAgain : WORDS.welcome}</p>
    <a class="button primary" href={signInUrl()}>
      Sign in
    </a>
  </main>
)
