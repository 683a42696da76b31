import type { RepositoryId, RepositoryPath } from '../../names.ts'
import { ok, type Result } from '../../result.ts'
import { baseKustomization, tenantApp } from '../gitops/application.ts'
import { appPath, basePath, componentPath } from '../gitops/layout.ts'
import { toYaml } from '../gitops/to-yaml.ts'
import { type RenderFailure, renderPart, type Values, type WrittenFile } from './render.ts'
import type { ScaffoldSpec } from './spec.ts'
import type { Template } from './template.ts'
import type { TemplatesGitHost } from './templates.ts'

/** The files of both repositories. The same spec makes the same bytes, whenever it is asked. */
export interface Plan {
  readonly repository: readonly WrittenFile[]
  readonly gitops: readonly WrittenFile[]
}

export interface PlanSource {
  readonly gitHost: TemplatesGitHost
  readonly templatesRepository: RepositoryId
  readonly catalogDirectory: RepositoryPath
}

export async function makePlan(
  { gitHost, templatesRepository: repository, catalogDirectory }: PlanSource,
  spec: ScaffoldSpec,
  template: Template,
): Promise<Result<Plan, RenderFailure>> {
  const source = { gitHost, repository }
  const values = valuesOf(spec)
  const skeleton = await renderPart(source, template, { part: 'skeleton', below: '' }, values)
  if (!skeleton.ok) return skeleton
  const below = `${appPath(spec.team, spec.app)}/base/`
  const given = await renderPart(source, template, { part: 'gitops', below }, values)
  if (!given.ok) return given
  const base = given.value.length > 0 ? given.value : builtInBase(spec)
  return ok({
    repository: skeleton.value,
    gitops: [...base, componentFile(catalogDirectory, spec)],
  })
}

const ownerOf = ({ org, team }: Pick<ScaffoldSpec, 'org' | 'team'>): string =>
  `group:${org}/${team}`

const valuesOf = (spec: ScaffoldSpec): Values => ({
  appName: spec.app,
  description: spec.description,
  team: spec.team,
  namespace: spec.namespace,
  org: spec.org,
  owner: ownerOf(spec),
  image: spec.image,
  templateId: spec.templateId,
  templateVersion: spec.templateVersion,
})

const write = (path: RepositoryPath, content: object): WrittenFile => ({
  kind: 'write',
  path,
  bytes: toYaml(content),
})

function builtInBase(spec: ScaffoldSpec): readonly WrittenFile[] {
  const { team, app } = spec
  return [
    write(basePath(team, app, 'kustomization.yaml'), baseKustomization(spec)),
    write(basePath(team, app, 'xtenant-app.yaml'), tenantApp(spec.tenantAppApiVersion, spec)),
  ]
}

function componentFile(catalogDirectory: RepositoryPath, spec: ScaffoldSpec): WrittenFile {
  const { team, app, description, image, org } = spec
  return write(componentPath(catalogDirectory, team, app), {
    apiVersion: 'portico/v1',
    kind: 'Component',
    metadata: {
      name: app,
      ...(description !== '' && { description }),
      annotations: {
        'portico/app-path': appPath(team, app),
        'portico/image': image,
        'portico/repository': `${org}/${app}`,
        'portico/template': `${spec.templateId}@${spec.templateVersion}`,
        'portico/template-revision': spec.templateRevision,
      },
    },
    spec: { type: spec.componentType, lifecycle: 'experimental', owner: ownerOf(spec) },
  })
}
