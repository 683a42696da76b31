import { gitHostContract } from '#tests/contracts/git-host.ts'
import { FORGEJO_11, GITEA_1_26, type Flavour } from '#tests/peers/gitea/flavour.ts'
import { openFakeServer, realGitea } from '#tests/peers/gitea/server-under-test.ts'
import { openGitea } from './open-gitea.ts'

async function openFake(flavour: Flavour) {
  const server = await openFakeServer(flavour)
  const fixture = await openGitea(server)
  return {
    ...fixture,
    async [Symbol.asyncDispose]() {
      await fixture[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

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
