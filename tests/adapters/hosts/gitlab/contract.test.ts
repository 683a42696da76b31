import { hostApiContract } from '#tests/contracts/git-host.ts'
import { openFake } from './open-gitlab.ts'

// Most other tests are in a group of the first level.
hostApiContract(
  'the GitLab adapter in a nested group',
  () => openFake('acme/platform'),
  'acme/platform',
)
