import { expect, test } from 'bun:test'
import { parseTemplate } from '#src/lib/domain/scaffold/template.ts'
import { unquotedProblems } from '#src/lib/domain/scaffold/unquoted.ts'
import { Label, ObjectId } from '#src/lib/names.ts'
import { ok } from '#src/lib/result.ts'
import { path, template, TEMPLATES } from '#tests/support/portal.ts'

const blob = ObjectId.of('0'.repeat(40))
const PLACE = path('templates/service/skeleton/run.sh')

async function problemsWith(x: object) {
  const definition = template('service', { parameters: { type: 'object', properties: { x } } })
  const facts = await parseTemplate(Label.of('service'), definition)
  if (!facts.ok) throw new Error(JSON.stringify(facts.error))
  const listed = { path: PLACE, blob, executable: false, sizeBytes: 1 }
  const bytes = new TextEncoder().encode('set -e\ndeploy {{ values.parameters.x }}\n')
  return unquotedProblems(
    {
      async *readFiles() {
        yield ok({ path: PLACE, blob, bytes })
      },
    },
    TEMPLATES,
    [{ ...facts.value, revision: blob, skeleton: [listed], gitops: [] }],
  )
}

test('a text that may be several words, outside of quotes in code, is a problem of its template', async () => {
  expect(await problemsWith({ type: 'string' })).toStrictEqual(
    ok([
      {
        severity: 'warning',
        code: 'template_unquoted',
        path: PLACE,
        line: 2,
        column: null,
        ref: 'template/service',
        message: expect.stringMatching(/^x may have spaces or = and stands outside of quotes/),
      },
    ]),
  )
})

test.each<readonly [object, boolean]>([
  [{ type: 'integer', default: 1 }, false],
  [{ enum: ['small', 'large'], default: 'small' }, false],
  [{ enum: ['very small', 'large'], default: 'large' }, true],
  ...[
    '^[a-z]{2}$',
    '^@[0-9a-z-]+/[0-9a-z-]+$',
    '^(?:a|b)*$',
    '^(a-(b|[0-9]{1,3}))?$',
    String.raw`^\d+\.\d+(-[\w.-]+)?$`,
  ].map((pattern) => [{ type: 'string', pattern }, false] as const),
  ...[
    '[a-z]+',
    '^[a-z]+',
    '[a-z]+$',
    '^a|b$',
    '^(a|b c)$',
    '^a=b$',
    '^.+$',
    '^[^a]$',
    '^[ a]$',
    '^[,-z]$',
    '^[+-a]$',
    String.raw`^\S+$`,
    String.raw`^\pL+$`,
    '^[[:alpha:]]+$',
    String.raw`^a\$`,
  ].map((pattern) => [{ type: 'string', pattern }, true] as const),
])('%j may be several words: %p', async (parameter, isProblem) => {
  const found = await problemsWith(parameter)
  expect(found.ok && found.value.length === 1).toBe(isProblem)
})
