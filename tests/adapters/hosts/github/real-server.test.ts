import { gitHostContract } from '#tests/contracts/git-host.ts'
import { openRealGitHub, realGitHub } from './real-github.ts'

const server = realGitHub()
if (server !== undefined) {
  gitHostContract('GitHub, a real server', () => openRealGitHub(server), server.owner)
}
