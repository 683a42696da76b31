import type { WrittenFile } from '../../ports/git-host.ts'
import { Type } from 'typebox'
import { STEPS } from '../../domain/scaffold/run.ts'
import type { Preview } from '../../domain/scaffold/submit.ts'
import { decodeUtf8Exactly } from '../../text/utf8.ts'
import { ParameterValues } from './schemas.ts'

export const ScaffoldPreview = Type.Object(
  {
    files: Type.Array(
      Type.Object({
        target: Type.Union([Type.Literal('repo'), Type.Literal('gitops')]),
        path: Type.String(),
        content: Type.String(),
        encoding: Type.Union([Type.Literal('utf-8'), Type.Literal('base64')]),
        executable: Type.Boolean(),
      }),
      { description: 'The exact files that would be committed to both repositories' },
    ),
    parameters: ParameterValues,
    steps: Type.Array(
      Type.Object({
        step: Type.Union(STEPS.map((step) => Type.Literal(step))),
        planned: Type.Union([Type.Literal('run'), Type.Literal('skip')]),
      }),
    ),
    checks: Type.Array(
      Type.Object({
        check: Type.String(),
        ok: Type.Boolean(),
        message: Type.String(),
      }),
      { description: 'Checks of the request; with `ok: false` a refusal or a warning' },
    ),
  },
  { $id: 'ScaffoldPreview' },
)

export function previewBody({ spec, plan, taken, deprecated }: Preview) {
  return {
    files: [
      ...plan.repository.map((file) => fileBody('repo', file)),
      ...plan.gitops.map((file) => fileBody('gitops', file)),
    ],
    parameters: spec.parameters ?? {},
    steps: STEPS.map((step) => ({
      step,
      planned: step === 'create_secret' && !spec.features.externalSecrets ? 'skip' : 'run',
    })),
    checks: [
      {
        check: 'name_free',
        ok: taken.length === 0,
        message: taken.length === 0 ? 'the name is free' : `in use: ${taken.join(', ')}`,
      },
      {
        check: 'template_current',
        ok: !deprecated,
        message: deprecated ? 'the template is deprecated' : 'the template is not deprecated',
      },
    ],
  }
}

function fileBody(target: 'repo' | 'gitops', { path, bytes, executable = false }: WrittenFile) {
  const text = decodeUtf8Exactly(bytes)
  return text === undefined
    ? {
        target,
        path,
        content: Buffer.from(bytes).toString('base64'),
        encoding: 'base64',
        executable,
      }
    : { target, path, content: text, encoding: 'utf-8', executable }
}

export const examplePreview = {
  files: [
    {
      target: 'repo',
      path: 'README.md',
      content: '# refund-api\n',
      encoding: 'utf-8',
      executable: false,
    },
  ],
  parameters: { port: 8080, databaseSize: 'small' },
  steps: [{ step: 'create_repo', planned: 'run' }],
  checks: [{ check: 'name_free', ok: true, message: 'the name is free' }],
}
