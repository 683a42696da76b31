import { gitHostContract } from '#tests/contracts/git-host.ts'
import { openGitHub } from './open-github.ts'

gitHostContract('GitHub', () => openGitHub())
gitHostContract('GitHub Enterprise Server 3.17', () =>
  openGitHub({ peer: { flavour: 'ghes-3.17' } }),
)
