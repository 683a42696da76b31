import { gitHostContract } from '#tests/contracts/git-host.ts'
import { FORGEJO_11, GITEA_1_26 } from '#tests/peers/gitea/flavour.ts'
import { realGitea } from '#tests/peers/gitea/server-under-test.ts'
import { openFake, openGitea } from './open-gitea.ts'

gitHostContract('the Gitea adapter', () => openFake(GITEA_1_26))
gitHostContract('the Gitea adapter with Forgejo', () => openFake(FORGEJO_11))

const server = realGitea()

if (server !== undefined) {
  gitHostContract(
    'the Gitea adapter with a real server',
    () => openGitea(server),
    server.organisation,
  )
}
