import { expect, test } from 'bun:test'
import { placeErrors } from '#src/console/ui/field-spec.ts'

const at = (path: string) => ({ path, message: `at ${path}` })

test('mistakes are told at their fields, and the others together', () => {
  const errors = [
    '/name',
    '/secrets/0/key',
    '/secrets',
    '/image/tag',
    '/names',
    '',
    '/headers/x',
  ].map(at)
  const { at: placed, elsewhere } = placeErrors(errors, ['/name', '/secrets', '/image/tag'])
  expect([...placed]).toStrictEqual([
    ['/name', ['at /name']],
    ['/secrets', ['at /secrets/0/key', 'at /secrets']],
    ['/image/tag', ['at /image/tag']],
  ])
  expect(elsewhere).toStrictEqual(['/names', '', '/headers/x'].map(at))
})

test('a field does not show the mistakes of what it is within', () => {
  expect(placeErrors([at('/image')], ['/image/tag']).elsewhere).toStrictEqual([at('/image')])
})

test('a path without a slash ends', () => {
  expect(placeErrors([at('name')], ['/name']).elsewhere).toStrictEqual([at('name')])
})
