import { gitHostContract } from '#tests/contracts/git-host.ts'
import { openFake } from './open-gitlab.ts'

gitHostContract('the GitLab adapter', () => openFake())
gitHostContract(
  'the GitLab adapter in a nested group',
  () => openFake('acme/platform'),
  'acme/platform',
)
