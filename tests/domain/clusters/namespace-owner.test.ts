import { expect, test } from 'bun:test'
import { namespaceOwner, teamOfNamespace } from '#src/lib/domain/clusters/namespace-pattern.ts'
import { Label, TeamName } from '#src/lib/names.ts'
import { environmentRow } from './cluster-request.ts'

const TEAMS = ['payments', 'payments-dev', 'shipping']

// prettier-ignore
test.each<[string, readonly (readonly [string, string])[], string, string | null, string | null]>([
  ['the pattern that fits',                 [['dev', '{team}-dev'], ['staging', '{team}-staging']], 'shipping-staging', 'staging', 'shipping'],
  ['the pattern that says most',            [['production', '{team}'], ['dev', '{team}-dev']],  'payments-dev', 'dev', 'payments'],
  ['a name before a pattern',               [['dev', '{team}-dev'], ['staging', 'payments-dev']], 'payments-dev', 'staging', null],
  ['the first of two that say the same',    [['staging', '{team}'], ['production', '{team}']],  'payments', 'staging', 'payments'],
  ['a pattern that says less, for its team', [['production', '{team}'], ['dev', 'x-{team}']],   'x-shipping', 'dev', 'shipping'],
  ['no team of this name',                  [['production', '{team}']],                         'kube-system', null, null],
  ['no pattern that fits',                  [['dev', '{team}-dev']],                            'payments', null, null],
  ['no environments',                       [],                                                 'payments', null, null],
])('%s', (_, rows, namespace, environment, team) => {
  const environments = rows.map(([name, pattern]) => environmentRow(name, pattern))
  const owner = namespaceOwner({ environments }, Label.of(namespace), (name) => TEAMS.includes(name))
  expect([owner?.environment ?? null, owner?.team ?? null] as unknown).toStrictEqual([environment, team])
})

// prettier-ignore
test.each<[string, readonly string[], string, string | null]>([
  ['the team of a pattern of any cluster',  ['{team}-dev', '{team}-staging'],      'shipping-staging',     'shipping'],
  ['not that of the shorter name',          ['{team}-prod'],                       'payments-eu-prod',     'payments-eu'],
  ['not that of a longer name',             ['{team}-prod'],                       'payments-europe-prod', 'payments'],
  ['the team that a name begins with',      [],                                    'payments-eu-prod',     'payments-eu'],
  ['the team that is the name',             [],                                    'shipping',             'shipping'],
  ['nobody for one that teams share',       ['{team}-dev', 'payments-shared'],     'payments-shared',      null],
  ['nobody for a name of no team',          ['{team}-dev'],                        'sandbox-dev',          null],
])('a namespace belongs to %s', (_, patterns, namespace, team) => {
  const clusters = patterns.map((pattern) => ({ environments: [environmentRow('dev', pattern)] }))
  const teams = new Set(['payments', 'payments-eu', 'shipping'].map((name) => TeamName.of(name)))
  expect(teamOfNamespace(clusters, Label.of(namespace), teams) as unknown).toBe(team)
})
