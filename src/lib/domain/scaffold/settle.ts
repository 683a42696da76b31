import type { RepositoryId } from '../../names.ts'
import type { GitFailure } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import type { Principal } from '../access/principal.ts'
import type { FieldError } from '../../schema/field-error.ts'
import { authorOf } from '../gitops/author.ts'
import { featuresOf, type ScaffoldRequest } from './request.ts'
import type { ScaffoldSpec } from './spec.ts'
import type { Template } from './template.ts'
import type { Templates } from './templates.ts'

export interface SettleOptions {
  readonly templates: Templates
  readonly gitopsRepository: RepositoryId
  /** Where images are pushed, `ghcr.io/acme`. */
  readonly imageRegistry: string
  readonly tenantAppApiVersion: string
}

export type SettleFailure =
  | { readonly kind: 'template_not_found' }
  | { readonly kind: 'validation_failed'; readonly errors: readonly FieldError[] }
  | GitFailure

export interface Settled {
  readonly spec: ScaffoldSpec
  readonly template: Template
}

/** What is asked for, with the template that is meant. Everything that needs no look at what is there already. */
export async function settle(
  { templates, gitopsRepository, imageRegistry, tenantAppApiVersion }: SettleOptions,
  principal: Principal,
  request: ScaffoldRequest,
): Promise<Result<Settled, SettleFailure>> {
  const list = await templates.read()
  if (!list.ok) return list
  const template = list.value.templates.find(({ id }) => id === request.templateId)
  if (template === undefined) return err({ kind: 'template_not_found' })
  const { features, faults } = featuresOf(request, template)
  if (faults.length > 0) return err({ kind: 'validation_failed', errors: faults })
  const spec: ScaffoldSpec = {
    templateId: template.id,
    templateVersion: template.version,
    templateRevision: template.revision,
    app: request.appName,
    team: request.team,
    org: gitopsRepository.owner,
    namespace: request.namespace,
    description: request.description ?? '',
    image: `${imageRegistry}/${request.appName}`,
    features,
    componentType: template.type,
    templateHasBase: template.gitops.length > 0,
    tenantAppApiVersion,
    createdBy: {
      subject: principal.subject,
      ...authorOf(principal),
    },
  }
  return ok({ spec, template })
}
