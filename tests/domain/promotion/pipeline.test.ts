import { describe, expect, test } from 'bun:test'
import { pipelineOf } from '#tests/support/pipeline.ts'

const foldersOf = (text?: string) => pipelineOf(text).stages.map(({ folders }) => folders)
const namespaces = (namespace: string, text?: string) => {
  const pipeline = pipelineOf(text)
  return pipeline.stages.map((stage) => pipeline.namespaceIn(stage, namespace))
}

describe('what follows from the environments', () => {
  test('the lifecycles, in their order', () => {
    const { lifecycles, targets } = pipelineOf('dev:building:member,live:running:manager')
    expect<readonly string[]>(lifecycles).toStrictEqual([
      'experimental',
      'building',
      'running',
      'deprecated',
    ])
    expect<readonly string[]>(targets).toStrictEqual(['building', 'running', 'deprecated'])
  })

  test('production is also read in prod/, unless that is another environment', () => {
    expect(foldersOf()).toStrictEqual([['dev'], ['staging'], ['production', 'prod']])
    expect(foldersOf('prod:live:manager,production:production:manager')).toStrictEqual([
      ['prod'],
      ['production'],
    ])
  })

  test('the namespace has the environment as its suffix, and none in production', () => {
    const expected = ['payments-dev', 'payments-staging', 'payments']
    for (const namespace of ['payments', 'payments-dev', 'payments-staging']) {
      expect(namespaces(namespace)).toStrictEqual(expected)
    }
    const text = 'qa:qa:member,pre-qa:pre:member,production:production:manager'
    expect(namespaces('payments-pre-qa', text)).toStrictEqual([
      'payments-qa',
      'payments-pre-qa',
      'payments',
    ])
    expect(namespaces('payments-dev', text)[0]).toBe('payments-dev-qa')
  })

  test('a namespace that would be too long stays as it is', () => {
    const long = 'n'.repeat(60)
    expect(namespaces(long)).toStrictEqual([long, long, long])
  })
})
