import { join } from 'node:path'
import { commits } from '#src/demo/seed/templates.ts'
import { RepositoryPath } from '#src/lib/names.ts'

export const TEMPLATES = ['bun-service', 'go-service', 'static-site'] as const
type TemplateId = (typeof TEMPLATES)[number]

/** As awkward as they may be: a name that YAML reads as no string, and text with a meaning in every language. */
export const values: Readonly<Record<string, string>> = {
  appName: 'null',
  description: 'It\'s "quick" & <b>dirty</b>: `$(x)` \\ ${{ y }} {{ z }} */ #{',
  team: 'payments',
  namespace: 'payments-dev',
  org: 'acme',
  owner: 'group:acme/payments',
  image: 'ghcr.io/acme/null',
  templateId: 'some-template',
  templateVersion: '1.0.0',
  databaseEnabled: 'true',
  externalSecretsEnabled: 'true',
  ingressEnabled: 'true',
  'parameters.port': '8080',
  'parameters.databaseSize': 'small',
  'parameters.public': 'false',
  'parameters.ciOwners': '@acme/platform-team',
}

export const PLACEHOLDER = /\{\{ values\.((?:parameters\.)?\w+) \}\}/g

export const render = (text: string): string =>
  text.replaceAll(PLACEHOLDER, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`no value is called ${name}`)
    return value
  })

/** The templates repository as it is in the end. */
export const repository: ReadonlyMap<string, string> = new Map(
  commits
    .flatMap(({ files }) => files)
    .map(({ path, bytes }) => [String(path), new TextDecoder().decode(bytes)]),
)

/** What a template makes the first commit of, not rendered. */
export const skeletonOf = (id: TemplateId): ReadonlyMap<string, string> => partOf(id, 'skeleton')

export function partOf(id: TemplateId, part: 'skeleton' | 'gitops'): ReadonlyMap<string, string> {
  const folder = `templates/${id}/${part}/`
  return new Map(
    [...repository]
      .filter(([path]) => path.startsWith(folder))
      .map(([path, text]) => [path.slice(folder.length), text]),
  )
}

export function renderedOf(id: TemplateId): ReadonlyMap<string, string> {
  const skeleton = skeletonOf(id)
  const files = new Map([...skeleton].map(([path, text]) => [render(path), render(text)]))
  if (files.size !== skeleton.size) throw new Error('two files have one path')
  for (const path of files.keys()) {
    if (RepositoryPath.parse(path) === undefined) throw new Error(`not a path: ${path}`)
  }
  return files
}

export function fileOf(files: ReadonlyMap<string, string>, path: string): string {
  const text = files.get(path)
  if (text === undefined) throw new Error(`there is no ${path}`)
  return text
}

export async function renderInto(folder: string, id: TemplateId): Promise<void> {
  for (const [path, text] of renderedOf(id)) await Bun.write(join(folder, path), text)
}

/** The shell command that the image is built with, writing elsewhere. */
export function buildCommand(id: TemplateId, program: string, [from, to]: readonly string[]) {
  const dockerfile = fileOf(renderedOf(id), 'Dockerfile')
  const [, command] = new RegExp(`^RUN (.*${program} build .*)$`, 'm').exec(dockerfile) ?? []
  if (command === undefined || from === undefined || to === undefined || !command.includes(from)) {
    throw new Error(`the Dockerfile of ${id} does not say how it is built into ${from}`)
  }
  return ['sh', '-c', command.replace(from, to)]
}
