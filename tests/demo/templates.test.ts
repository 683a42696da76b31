import { describe, expect, test } from 'bun:test'
import { load } from 'js-yaml'
import { baseOf } from '#src/lib/domain/promotion/overlay/manifests.ts'
import { misfitsOf } from '#src/lib/domain/scaffold/misfit.ts'
import { parseTemplate } from '#src/lib/domain/scaffold/template.ts'
import { Label } from '#src/lib/names.ts'
import {
  fileOf,
  partOf,
  PLACEHOLDER,
  render,
  renderedOf,
  repository,
  skeletonOf,
  TEMPLATES,
  values,
} from './rendered-template.ts'

const WORKFLOW = '.github/workflows/ci.yaml'
const SERVICE: string[] = ['port', 'databaseSize', 'public', 'ciOwners']
const PARAMETERS = {
  'bun-service': SERVICE,
  'go-service': SERVICE,
  'static-site': ['public', 'ciOwners'],
} satisfies Record<(typeof TEMPLATES)[number], string[]>
const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)]

interface Workflow {
  readonly permissions: unknown
  readonly jobs: Readonly<Record<string, Job>>
}

interface Job {
  readonly permissions?: unknown
}

const workflowOf = (text: string) => load(text) as Workflow

describe.each(TEMPLATES)('%s', (id) => {
  const skeleton = skeletonOf(id)
  const rendered = renderedOf(id)

  describe('template.yaml', () => {
    test('is one that Portico reads, with a default for every parameter', async () => {
      const source = fileOf(repository, `templates/${id}/template.yaml`)
      const parsed = await parseTemplate(Label.of(id), source)
      if (!parsed.ok) throw new Error(JSON.stringify(parsed.error))
      const schemas = Object.entries(parsed.value.parameters?.schema.properties ?? {})
      expect(schemas.map(([name]) => name)).toStrictEqual(PARAMETERS[id])
      for (const [name, { title, description, default: fallback }] of schemas) {
        expect(String(fallback)).toBe(values[`parameters.${name}`] ?? '')
        expect([title, description]).not.toContain(undefined)
      }
    })
  })

  test('has what every project has', () => {
    for (const path of ['README.md', 'Dockerfile', '.gitignore', '.dockerignore', WORKFLOW]) {
      expect(fileOf(rendered, path)).toEndWith('\n')
    }
    expect([...rendered.keys()].filter((path) => /[._]test\.\w+$/.test(path))).toBeArrayOfSize(1)
    expect([...rendered.values()].join('')).toContain('/healthz')
  })

  describe('placeholders', () => {
    test('are known ones, written in one way', () => {
      for (const text of [...skeleton.keys(), ...skeleton.values()]) {
        const names = matches(text, PLACEHOLDER).map(([, name]) => String(name))
        expect(Object.keys(values)).toEqual(expect.arrayContaining(names))
        expect(names).toBeArrayOfSize(matches(text, /values\s*\.|values\s*\[/g).length)
      }
    })

    test('are all used', () => {
      const texts = [...skeleton.values(), ...partOf(id, 'gitops').values()].join('')
      const used = new Set(matches(texts, PLACEHOLDER).map(([, name]) => String(name)))
      const own = PARAMETERS[id].map((name) => `parameters.${name}`)
      const known = Object.keys(values).filter((name) => !name.startsWith('parameters.'))
      expect(used).toStrictEqual(new Set([...known, ...own]))
    })

    test('of texts are where every text fits that the template lets people write', () => {
      const text = { kind: 'parameter', text: '@acme/payments' } as const
      const owners = new Map([['parameters.ciOwners', text]])
      for (const [path, source] of skeleton) {
        expect(misfitsOf(path, source, owners)).toStrictEqual([])
      }
    })

    test('put free text into the README only', () => {
      const places = [...skeleton].filter((entry) => entry.join('').includes('values.description'))
      expect(places.map(([path]) => path)).toStrictEqual(['README.md'])
    })

    test('are all that rendering replaces', () => {
      expect([...rendered].flat().filter((text) => text.includes('{{ values.'))).toStrictEqual([])
      const before = fileOf(skeleton, WORKFLOW)
      const after = fileOf(rendered, WORKFLOW)
      expect(matches(after, /\$\{\{ .+? \}\}/g).length).toBeGreaterThan(2)
      expect(after).toBe(
        before
          .replace('"{{ values.image }}:', `"${values['image']}:`)
          .replace(':{{ values.parameters.port }} ', ':8080 '),
      )
    })
  })

  test('brings a base that can be promoted, with what was asked for in it', () => {
    const base = new Map([...partOf(id, 'gitops')].map(([path, text]) => [path, render(text)]))
    expect(
      baseOf(fileOf(base, 'xtenant-app.yaml'), fileOf(base, 'kustomization.yaml')),
    ).toMatchObject({
      ok: true,
      value: { name: 'payments-null', image: 'ghcr.io/acme/null', namespace: 'payments-dev' },
    })
    expect(load(fileOf(base, 'xtenant-app.yaml'))).toMatchObject({
      spec: {
        parameters: {
          containerPort: 8080,
          ingress: { enabled: true, public: false },
          database: id === 'static-site' ? {} : { size: 'small' },
        },
      },
    })
  })

  test('says who owns what in the repository', () => {
    expect(fileOf(rendered, 'CODEOWNERS')).toEndWith(
      '\n* @acme/payments\n/.github/ @acme/platform-team\n',
    )
  })

  describe('the workflow', () => {
    const text = fileOf(rendered, WORKFLOW)
    const { permissions, jobs } = workflowOf(text)

    test('may read the repository, and nothing else', () => {
      expect(permissions).toStrictEqual({ contents: 'read' })
      expect(Object.values(jobs).every((job) => job.permissions === undefined)).toBe(true)
    })
  })

  describe('the Dockerfile', () => {
    const dockerfile = fileOf(rendered, 'Dockerfile')
    const bases = matches(dockerfile, /^FROM (\S+)/gm).map(([, base]) => String(base))
    const last = dockerfile.split(/^FROM /m).at(-1)

    test('has one version of each base', () => {
      expect(bases).not.toBeEmpty()
      for (const base of bases)
        expect(base).toMatch(/^(?:scratch|[a-z/-]+:\d+\.\d+\.\d+(?:-\w+)?)$/)
      expect(dockerfile).not.toContain('latest')
    })

    test('ends as a user with few rights on port 8080', () => {
      expect(last).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m)
      expect(last).toMatch(/^EXPOSE 8080$/m)
    })

    test('has no secret', () => {
      expect(dockerfile).not.toMatch(/token|secret|password|credential|\.env/i)
    })

    test('copies what exists, and .dockerignore lets through just that', () => {
      const [everything, ...exceptions] = fileOf(rendered, '.dockerignore')
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('#'))
      expect(everything).toBe('*')
      const copied = matches(dockerfile, /^COPY (?!--from)(.+) \S+$/gm)
        .flatMap(([, sources]) => String(sources).split(' '))
        .map((source) => source.replace(/\*$/, ''))
      expect(exceptions.toSorted()).toStrictEqual(copied.map((source) => `!${source}`).toSorted())
      for (const source of copied.filter((one) => one !== 'go.sum')) {
        const found = [...rendered.keys()].some((path) => `${path}/`.startsWith(`${source}/`))
        expect({ source, found }).toStrictEqual({ source, found: true })
      }
    })
  })
})
