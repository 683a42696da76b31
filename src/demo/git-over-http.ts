import { forgeProblem } from './forge-problem.ts'
import type { DemoDeps } from './deps.ts'
import { authorOf, personOfBasic } from './people.ts'
import { pushRuleFor } from './push-rule.ts'

/** Git's smart HTTP protocol. Reading requires a password too, as in a company. */
export const gitOverHttp =
  ({ forge, platformGroup }: Pick<DemoDeps, 'forge' | 'platformGroup'>) =>
  ({ request }: { readonly request: Request }): Response | Promise<Response> => {
    const person = personOfBasic(request.headers.get('authorization'))
    if (person === undefined) return forgeProblem(request, { kind: 'git_unauthorized' })
    return forge.serveGit(request, authorOf(person), pushRuleFor(person, platformGroup))
  }
