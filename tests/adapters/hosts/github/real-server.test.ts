import { gitContentContract } from '#tests/contracts/git-content.ts'
import { hostApiContract } from '#tests/contracts/git-host.ts'
import { openRealGitHub, realGitHub } from './real-github.ts'

const server = realGitHub()
if (server !== undefined) {
  const open = () => openRealGitHub(server)
  gitContentContract('GitHub, a real server', open, server.owner)
  hostApiContract('GitHub, a real server', open, server.owner)
}
