import { hostApiContract } from '#tests/contracts/git-host.ts'
import { openFake } from './open-gitlab.ts'

hostApiContract('the GitLab adapter', () => openFake())
hostApiContract(
  'the GitLab adapter in a nested group',
  () => openFake('acme/platform'),
  'acme/platform',
)
