import { gitContentContract } from '#tests/contracts/git-content.ts'
import { hostApiContract } from '#tests/contracts/git-host.ts'
import { FORGEJO_11 } from '#tests/peers/gitea/flavour.ts'
import { realGitea } from '#tests/peers/gitea/server-under-test.ts'
import { openFake, openGitea } from './open-gitea.ts'

// Every other test is on Gitea.
hostApiContract('the Gitea adapter with Forgejo', () => openFake(FORGEJO_11))

const server = realGitea()

if (server !== undefined) {
  const open = () => openGitea(server)
  gitContentContract('the Gitea adapter with a real server', open, server.organisation)
  hostApiContract('the Gitea adapter with a real server', open, server.organisation)
}
