import { describe, expect, test } from 'bun:test'
import type { Problem } from '#src/console/api/result.ts'
import {
  AT,
  createKeys,
  fieldPathsOf,
  namespacesOf,
  newDraft,
  requestOf,
  refusalFor,
  type Template,
} from '#src/console/pages/new/draft.ts'
import { isOfFields, shownMistakes } from '#src/console/pages/new/mistakes.ts'
import { type PreviewFile, shownFiles } from '#src/console/pages/new/preview-files.ts'
import { endWords, retryRefusal, type Run, stepsOf } from '#src/console/pages/new/steps.ts'

const feature = (supported: boolean, isDefault: boolean) => ({ supported, default: isDefault })
const TEMPLATE: Template = {
  id: 'bun-service',
  title: 'Bun HTTP service',
  description: 'A small service',
  type: 'service',
  tags: ['bun'],
  owner: 'group:acme/platform-team',
  version: '1.0.0',
  revision: 'abc',
  deprecated: false,
  features: {
    database: feature(true, false),
    externalSecrets: feature(true, true),
    ingress: feature(false, true),
  },
  parameters: {
    type: 'object',
    properties: {
      port: { type: 'integer', default: 8080 },
      size: { enum: ['small', 'large'] },
    },
  },
}

describe('a request of the form', () => {
  test('has the defaults of the template, and no feature that it does not support', () => {
    const draft = { ...newDraft('payments'), [AT.name]: ' refund-api ' }
    expect(requestOf(TEMPLATE, draft, 'payments-dev')).toStrictEqual({
      templateId: 'bun-service',
      appName: 'refund-api',
      team: 'payments',
      namespace: 'payments-dev',
      features: { database: false, externalSecrets: true, ingress: false },
      parameters: { port: 8080 },
    })
  })

  test('has what was typed', () => {
    const draft = {
      ...newDraft('payments'),
      [AT.description]: 'Gives money back ',
      [AT.namespace]: 'elsewhere',
      '/features/database': 'true',
      '/parameters/port': '9090',
      '/parameters/size': 'large',
    }
    expect(requestOf(TEMPLATE, draft, 'payments-dev')).toMatchObject({
      description: 'Gives money back',
      namespace: 'elsewhere',
      features: { database: true, externalSecrets: true, ingress: false },
      parameters: { port: 9090, size: 'large' },
    })
  })

  test('has an emptied namespace, and not the suggested one', () => {
    const draft = { ...newDraft('payments'), [AT.namespace]: '' }
    expect(requestOf(TEMPLATE, draft, 'payments-dev').namespace).toBe('')
  })

  test('has no parameters where the template has none', () => {
    const { parameters: _, ...plain } = TEMPLATE
    const request = requestOf(plain, newDraft('payments'), '')
    expect('parameters' in request).toBe(false)
    expect(fieldPathsOf(plain)).not.toContain('/parameters/port')
  })
})

describe('the namespaces of a team', () => {
  const namespace = (name: string, environment: string | null, team: string | null) => ({
    name,
    environment,
    team,
  })
  const ALL = [
    namespace('payments', 'production', 'payments'),
    namespace('payments-dev', 'dev', 'payments'),
    namespace('payments-dev', 'dev', 'payments'),
    namespace('payments-odd', null, 'payments'),
    namespace('shipping-dev', 'dev', 'shipping'),
    namespace('kube-system', null, null),
  ]
  test('are its own, those of earlier environments first, each once', () => {
    expect(namespacesOf('payments', ALL, ['dev', 'staging', 'production'])).toStrictEqual([
      'payments-dev',
      'payments',
      'payments-odd',
    ])
  })
  test.each(['', 'unknown'])('are none for %p', (team) => {
    expect(namespacesOf(team, ALL, ['dev'])).toStrictEqual([])
  })
})

describe('whoever may start no project is told why', () => {
  const person = { teams: ['payments'], platform: false, groupsAdvice: null }
  test.each([
    ['a member of a team', person, null],
    ['the platform team', { ...person, teams: [], platform: true }, null],
    ['of no team', { ...person, teams: [] }, 'You are in no team'],
    [
      'of unknown groups',
      { ...person, teams: [], groupsAdvice: 'Ask for the scope groups.' },
      'Ask for the scope groups.',
    ],
  ])('%s', (_, who, reason) => {
    const refusal = refusalFor(who)
    if (reason === null) expect(refusal).toBeNull()
    else expect(refusal).toContain(reason)
  })
})

describe('mistakes', () => {
  const problem: Problem = {
    status: 422,
    code: 'validation_failed',
    title: 'The request is not valid',
    errors: [
      { path: '/appName', rule: 'name', message: 'lower-case letters' },
      { path: '/parameters/port', rule: 'minimum', message: 'must be at least 1024' },
      { path: '/query/dryRun', rule: 'type', message: 'must be a boolean' },
    ],
  }
  const PATHS = fieldPathsOf(TEMPLATE)

  test('are shown at fields that were left', () => {
    const { at, elsewhere } = shownMistakes(problem, PATHS, new Set(['/parameters/port']))
    expect([...at]).toStrictEqual([['/parameters/port', ['must be at least 1024']]])
    expect(elsewhere).toStrictEqual([])
  })
  test('are all shown after an attempt, also those of no field', () => {
    const { at, elsewhere } = shownMistakes(problem, PATHS, 'all')
    expect([...at.keys()]).toStrictEqual(['/appName', '/parameters/port'])
    expect(elsewhere.map(({ path }) => path)).toStrictEqual(['/query/dryRun'])
  })
  test('a name that is taken is a mistake of the name', () => {
    const detail = 'a repository has this name'
    const taken: Problem = { status: 409, code: 'already_exists', title: 'In use', detail }
    expect([...shownMistakes(taken, PATHS, 'all').at]).toStrictEqual([['/appName', [detail]]])
    expect(isOfFields(taken)).toBe(true)
  })
  test('another problem is none of a field', () => {
    const busy: Problem = { status: 503, code: 'git_host_unreachable', title: 'Away' }
    expect(isOfFields(busy)).toBe(false)
    expect(shownMistakes(busy, PATHS, 'all').at.size).toBe(0)
    expect(shownMistakes(undefined, PATHS, 'all').at.size).toBe(0)
  })
})

test('the same request has the same key, a changed one another', () => {
  let drawn = 0
  const keyOf = createKeys(() => `key-${++drawn}`)
  const keys = [{ a: 1 }, { a: 1 }, { a: 2 }, { a: 1 }].map((request) => keyOf(request))
  expect(keys).toStrictEqual(['key-1', 'key-1', 'key-2', 'key-3'])
})

describe('a run', () => {
  const run: Run = {
    id: '01936b2e-7b1a-7c55-8d0e-5a3f0f6f2a11',
    status: 'running',
    templateId: 'bun-service',
    appName: 'refund-api',
    team: 'payments',
    namespace: 'payments-dev',
    parameters: {},
    createdBy: { subject: 'dev', name: 'Dana' },
    createdAt: '2026-11-21T09:30:00.000Z',
    finishedAt: null,
    steps: [{ step: 'create_repo', status: 'complete', message: 'Created acme/refund-api' }],
    repoUrl: null,
    prUrl: null,
    prNumber: null,
    failure: null,
  }
  const failure = { step: 'push_template', code: 'git', message: 'Git is away', retryable: true }

  test('shows steps that have not begun too', () => {
    expect(stepsOf(run).map(({ name, status }) => `${name} ${status}`)).toStrictEqual([
      'create_repo complete',
      'push_template waiting',
      'create_secret waiting',
      'open_gitops_pr waiting',
    ])
  })
  test('says its end, and nothing before', () => {
    expect(endWords(run)).toBeNull()
    expect(endWords({ ...run, status: 'complete' })).toContain('refund-api is set up')
    expect(endWords({ ...run, status: 'failed', failure })).toContain('Git is away')
  })
  test('says why another attempt would not help', () => {
    expect(retryRefusal({ failure })).toBeNull()
    expect(retryRefusal({ failure: { ...failure, retryable: false } })).toContain('would not help')
  })
})

describe('files of a preview', () => {
  const file = (path: string, content: string, more: Partial<PreviewFile> = {}): PreviewFile => ({
    target: 'repo',
    path,
    content,
    encoding: 'utf-8',
    executable: false,
    ...more,
  })
  test('are sorted, by repository, with their sizes', () => {
    const { repository, gitops } = shownFiles([
      file('z.md', 'one\ntwo'),
      file('apps/base.yaml', 'a: 1\n', { target: 'gitops' }),
      file('run.sh', '#!/bin/sh\n', { executable: true }),
      file('logo.png', btoa('12345'), { encoding: 'base64' }),
      file('empty', ''),
    ])
    expect(repository.map(({ path, size }) => `${path}: ${size}`)).toStrictEqual([
      'empty: 0 lines',
      'logo.png: 5 bytes, not text',
      'run.sh: 1 line, executable',
      'z.md: 2 lines',
    ])
    expect(repository.map(({ text }) => text)).toStrictEqual(['', null, '#!/bin/sh\n', 'one\ntwo'])
    expect(gitops.map(({ path }) => path)).toStrictEqual(['apps/base.yaml'])
  })
})
