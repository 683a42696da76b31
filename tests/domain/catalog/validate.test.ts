import { expect, test } from 'bun:test'
import { validateFile } from '#src/lib/domain/catalog/validate.ts'
import { entity } from '#tests/support/hostile-yaml.ts'
import { directParser } from './repository.ts'

const validate = (text: string) => validateFile(directParser, new TextEncoder().encode(text))

test('a file that is fine', async () => {
  expect(await validate(`${entity('a')}---\n${entity('b')}`)).toStrictEqual({
    entities: ['component/a', 'component/b'],
    findings: [],
  })
})

test('a file that says the same twice', async () => {
  const twin = entity('a').replace('Component', 'COMPONENT')
  expect(await validate(`${entity('a')}---\n${twin}---\n- 1\n`)).toMatchObject({
    entities: ['component/a'],
    findings: [
      { code: 'document_not_mapping', line: 11 },
      { code: 'entity_duplicate', severity: 'error', line: 6, column: 1, ref: 'component/a' },
    ],
  })
})

test('nothing, and what is no YAML', async () => {
  expect(await validate('')).toStrictEqual({ entities: [], findings: [] })
  expect(await validate('{')).toMatchObject({ entities: [], findings: [{ code: 'yaml_syntax' }] })
})
