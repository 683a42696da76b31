import type { StepName } from '../run.ts'
import { createRepo } from './create-repo.ts'
import { createSecret } from './create-secret.ts'
import { openGitopsPr } from './open-gitops-pr.ts'
import { pushTemplate } from './push-template.ts'
import type { Step } from './step.ts'

/** Keys are the names of the steps in the event stream; `STEPS` has their order. */
export const steps = {
  create_repo: createRepo,
  push_template: pushTemplate,
  create_secret: createSecret,
  open_gitops_pr: openGitopsPr,
} as const satisfies Record<StepName, Step>
