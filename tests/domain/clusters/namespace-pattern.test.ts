import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  namespaceFor,
  parseNamespacePattern,
  teamIn,
} from '#src/lib/domain/clusters/namespace-pattern.ts'
import { Label, TeamName } from '#src/lib/names.ts'

const PAYMENTS = TeamName.of('payments')

function patternOf(text: string) {
  const pattern = parseNamespacePattern(text)
  if (pattern === undefined) throw new Error(`no pattern: ${text}`)
  return pattern
}

describe('a pattern of namespaces', () => {
  // prettier-ignore
  test.each([
    ['{team}',            'payments'],
    ['{team}-dev',        'payments-dev'],
    ['acme-{team}',       'acme-payments'],
    ['acme-{team}-stage', 'acme-payments-stage'],
    ['sandbox',           'sandbox'],
  ])('%s is %s for a team', (text, namespace) => {
    expect(namespaceFor(patternOf(text), PAYMENTS)).toBe(Label.of(namespace))
  })

  // prettier-ignore
  test.each([
    ['{team}',     'payments-dev', TeamName.of('payments-dev')],
    ['{team}-dev', 'payments-dev', PAYMENTS],
    ['{team}-dev', 'payments',     undefined],
    ['{team}-dev', '2-dev',        undefined],
    ['{team}-dev', 'p-dev',        undefined],
    ['dev-{team}', 'payments-dev', undefined],
    ['a-{team}-a', 'a-a',          undefined],
    ['sandbox',    'sandbox',      null],
    ['sandbox',    'sandbox-2',    undefined],
  ])('%s has %s of the team %p', (text, namespace, team) => {
    expect(teamIn(patternOf(text), Label.of(namespace))).toBe(team)
  })

  test.each([
    '',
    '{team}-',
    '-{team}',
    '{TEAM}',
    '{team}{team}',
    '{app}',
    'a b',
    '{team}.dev',
    'A',
  ])('%p is none', (text) => {
    expect(parseNamespacePattern(text)).toBeUndefined()
  })

  test('has no namespace for a team whose name makes it too long', () => {
    const team = 'a'.repeat(40)
    expect(namespaceFor(patternOf(`{team}-${'b'.repeat(22)}`), team)).toHaveLength(63)
    expect(namespaceFor(patternOf(`{team}-${'b'.repeat(23)}`), team)).toBeUndefined()
  })

  test('finds the team again for which it named the namespace', () => {
    const team = fc.stringMatching(/^[a-z][a-z0-9-]{0,38}[a-z0-9]$/)
    const part = fc.stringMatching(/^[a-z0-9-]{0,12}$/)
    fc.assert(
      fc.property(team, part, part, (name, before, after) => {
        const pattern = parseNamespacePattern(`${before}{team}${after}`)
        const namespace = pattern && namespaceFor(pattern, name)
        fc.pre(pattern !== undefined && namespace !== undefined)
        expect(teamIn(pattern, namespace)).toBe(TeamName.of(name))
      }),
    )
  })
})
