import { describe, expect, test } from 'bun:test'
import {
  type CatalogProblem,
  codesOf,
  groupByFile,
  placeWords,
  selectProblems,
} from '#src/console/pages/problems/problems.ts'

const problem = (facts: Partial<CatalogProblem>): CatalogProblem => ({
  severity: 'error',
  code: 'field_missing',
  path: 'catalog/a.yaml',
  line: 4,
  column: 3,
  ref: 'component/shop',
  message: 'metadata.name is missing',
  url: null,
  ...facts,
})
const warning = problem({ severity: 'warning', code: 'owner_unrecognised', path: 'catalog/b.yaml' })
const all = [problem({}), warning, problem({ line: 9 })]

describe('a filter', () => {
  test.each([
    ['', '', '', 3],
    ['error', '', '', 2],
    ['', 'owner_unrecognised', '', 1],
    ['error', 'owner_unrecognised', '', 0],
    ['', '', 'B.YAML component', 1],
    ['', '', 'shop missing', 3],
    ['', '', 'nobody', 0],
  ])('%p %p %p selects %i', (severity, code, q, count) => {
    expect(selectProblems(all, { severity, code, q })).toHaveLength(count)
  })
})

test('the problems of a file are together', () => {
  const files = groupByFile([problem({}), warning, problem({ line: 9 })])
  expect(files.map(({ path, problems }) => [path, problems.length])).toStrictEqual([
    ['catalog/a.yaml', 2],
    ['catalog/b.yaml', 1],
  ])
})

test('codes are offered once', () => {
  expect(codesOf(all)).toStrictEqual(['field_missing', 'owner_unrecognised'])
})

test('places are words', () => {
  expect(placeWords({ line: 4, column: 3 })).toBe('line 4, column 3')
  expect(placeWords({ line: 4, column: null })).toBe('line 4')
  expect(placeWords({ line: null, column: null })).toBe('whole file')
})
