import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseRegistry } from '#src/lib/domain/clusters/registry.ts'
import { EnvironmentName, Label } from '#src/lib/names.ts'
import type { Cluster } from '#src/lib/ports/clusters.ts'
import { ONE } from './authorities.ts'
import { clustersOf, fileOf, MEANS, type Members, mistakesOf } from './registry-file.ts'
import { growth, LINEAR_GROWTH_MAX } from '#tests/support/processor-time.ts'

const KEYS =
  'id, name, apiServer, caFile, caData, systemRoots, tlsServerName, groups, auth, labels, environments'
const NO_SUCH_SETTING = 'there is no such setting: certificates are always verified'
const NO_NAMESPACE =
  'must be the name of a namespace, with {team} once for the name of the team, such as {team}-dev'
const numbered = (count: number, item: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => item(at)).join()
const east: Cluster = {
  id: Label.of('east'),
  name: 'East',
  apiServer: 'https://east.example:6443',
  trust: { kind: 'system_roots' },
  tlsServerName: null,
  groups: ['payments'],
  auth: { mode: 'passthrough' },
  labels: {},
  environments: [],
}

describe('a registry', () => {
  test('with everything', () => {
    const text = `# clusters
apiVersion: portal/v1
clusters:
  - id: prod-eu
    name: Production EU
    apiServer: https://k8s.prod-eu.example:6443/
    caFile: one.pem
    tlsServerName: kubernetes.default
    groups: [platform, 'team-a', "*"]
    auth: { mode: exchange, audience: k8s-prod-eu }
    labels: { env: prod, region: eu, empty: '' }
    environments:
      - { name: production, namespace: "{team}" }
      - { name: staging, namespace: "eu-{team}-stage" }
      - { name: dev, namespace: sandbox }
  - { id: lab, name: Lab, apiServer: 'https://lab', systemRoots: true, groups: [], auth: { mode: passthrough } }
`
    expect(parseRegistry(text, MEANS)).toStrictEqual({
      ok: true,
      value: [
        {
          id: Label.of('prod-eu'),
          name: 'Production EU',
          apiServer: 'https://k8s.prod-eu.example:6443',
          trust: { kind: 'authority', pem: ONE },
          tlsServerName: 'kubernetes.default',
          groups: ['platform', 'team-a', '*'],
          auth: { mode: 'exchange', audience: 'k8s-prod-eu' },
          labels: { env: 'prod', region: 'eu', empty: '' },
          environments: [
            {
              name: EnvironmentName.of('production'),
              namespace: { kind: 'of_team', prefix: '', suffix: '' },
            },
            {
              name: EnvironmentName.of('staging'),
              namespace: { kind: 'of_team', prefix: 'eu-', suffix: '-stage' },
            },
            {
              name: EnvironmentName.of('dev'),
              namespace: { kind: 'shared', namespace: Label.of('sandbox') },
            },
          ],
        },
        {
          id: Label.of('lab'),
          name: 'Lab',
          apiServer: 'https://lab:443',
          trust: { kind: 'system_roots' },
          tlsServerName: null,
          groups: [],
          auth: { mode: 'passthrough' },
          labels: {},
          environments: [],
        },
      ],
    })
  })

  // prettier-ignore
  test.each<[string, string, readonly Cluster[]]>([
    ['the least',               fileOf({}),                                     [east]],
    ['without clusters',        'apiVersion: portal/v1\nclusters: []\n',        []],
    ['as JSON',                 JSON.stringify({ apiVersion: 'portal/v1', clusters: [{ id: 'east', name: 'East', apiServer: 'https://east.example:6443', systemRoots: true, groups: ['payments'] }] }), [east]],
    ['with CRLF and a mark',    `\uFEFF${fileOf({}).replaceAll('\n', '\r\n')}`, [east]],
    ['with a list used twice',  fileOf({ groups: '&all [payments]' }, { id: 'west', groups: '*all' }), [east, { ...east, id: Label.of('west') }]],
    ['with as many groups as it may have', fileOf({ groups: `[${'a,'.repeat(100)}]` }), [{ ...east, groups: Array.from({ length: 100 }, () => 'a') }]],
    ['with as many labels',     fileOf({ labels: `{${numbered(100, (at) => `l${at}: a`)}}` }), [{ ...east, labels: Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`l${at}`, 'a'])) }]],
    ['as long as it may be',    fileOf({}).padEnd(1024 * 1024, '#'),            [east]],
    ['with keys like any other', fileOf({ labels: '{__proto__: a, constructor: b}' }), [{ ...east, labels: { ['__proto__']: 'a', constructor: 'b' } }]],
  ])('%s', (_, text, clusters) => {
    expect(clustersOf(text)).toStrictEqual(clusters)
  })
})

describe('a file that is none', () => {
  // prettier-ignore
  test.each([
    ['empty',                 '',                                                 ['1:1 must be one YAML document']],
    ['only a comment',        '# nothing\n',                                      ['1:1 must be one YAML document']],
    ['null',                  '---\n',                                            ['1:1 the file: must be a mapping']],
    ['a list',                '- id: east\n',                                     ['1:1 the file: must be a mapping']],
    ['text',                  'clusters',                                         ['1:1 the file: must be a mapping']],
    ['two documents',         `${fileOf({})}---\n${fileOf({})}`,                  ['1:1 must be one YAML document']],
    ['broken',                'apiVersion: portal/v1\nclusters: [\n',             ['3:1 deficient indentation']],
    ['a key twice',           'apiVersion: portal/v1\napiVersion: portal/v1\n',   ['2:1 duplicated mapping key']],
    ['a key of a cluster twice', `${fileOf({})}    id: west\n`,                   ['8:5 duplicated mapping key']],
    ['an unknown tag',        fileOf({ name: '!secret x' }),                      ['4:11 unknown scalar tag']],
    ['too long',              fileOf({}).padEnd(1024 * 1024 + 1, '#'),         ['1:1 is too large']],
    ['too much structure',    `-${'\n'.repeat(200_001)}`,                         ['null:null is too large']],
    ['no version',            'clusters: []\n',                                   ['1:1 the file: apiVersion is missing']],
    ['another version',       'apiVersion: portal/v2\nclusters: []\n',            ['1:13 apiVersion: must be portal/v1']],
    ['no text as a version',  'apiVersion: 1\nclusters: []\n',                    ['1:13 apiVersion: must be portal/v1']],
    ['no clusters',           'apiVersion: portal/v1\n',                          ['1:1 the file: clusters is missing']],
    ['nothing as clusters',   'apiVersion: portal/v1\nclusters:\n',               ['1:1 clusters: must be a list']],
    ['a mapping of clusters', 'apiVersion: portal/v1\nclusters: {east: {}}\n',    ['2:11 clusters: must be a list']],
    ['a cluster that is none', 'apiVersion: portal/v1\nclusters: [east, null]\n', ['2:12 clusters[0]: must be a mapping', '2:18 clusters[1]: must be a mapping']],
    ['too many clusters',     `apiVersion: portal/v1\nclusters: [${'{},'.repeat(501)}]\n`, ['2:11 clusters: must have at most 500 items']],
    ['an alias bomb',         `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n${fileOf({})}`, ['1:7 a: there is no such key, only apiVersion, clusters', '2:7 b: there is no such key, only apiVersion, clusters', '3:4 c: there is no such key, only apiVersion, clusters']],
    ['a cycle',               'apiVersion: portal/v1\nclusters: &c [*c]\n',       ['2:15 clusters[0]: must be a mapping']],
    ['too many aliases',      `apiVersion: portal/v1\nclusters: [&c {}, ${'*c,'.repeat(1_001)}]\n`, [expect.stringContaining('aliases')]],
  ])('%s', (_, text, mistakes) => {
    expect(mistakesOf(text)).toStrictEqual(mistakes)
  })
})

describe('a member that is wrong', () => {
  // prettier-ignore
  test.each<[string, Members, readonly string[]]>([
    ['no id',                       { id: null },                          ['3:5 clusters[0]: id is missing']],
    ['an id with capitals',         { id: 'East' },                        ['3:9 clusters[0].id: must be a DNS-1123 label']],
    ['an id with a dot',            { id: 'east.eu' },                     ['3:9 clusters[0].id: must be a DNS-1123 label']],
    ['an id that is a path',        { id: '..' },                          ['3:9 clusters[0].id: must be a DNS-1123 label']],
    ['an id of 64 characters',      { id: 'a'.repeat(64) },                ['3:9 clusters[0].id: must be a DNS-1123 label']],
    ['an id that is a number',      { id: '1' },                           ['3:9 clusters[0].id: must be a DNS-1123 label']],
    ['an empty id',                 { id: '""' },                          ['3:9 clusters[0].id: must be a DNS-1123 label']],
    ['no name',                     { name: null },                        ['3:5 clusters[0]: name is missing']],
    ['an empty name',               { name: "''" },                        ['4:11 clusters[0].name: must be one line of text']],
    ['a blank name',                { name: '"  "' },                      ['4:11 clusters[0].name: must be one line of text']],
    ['nothing as a name',           { name: '' },                          ['3:5 clusters[0].name: must be one line of text']],
    ['a name of two lines',         { name: '"a\\nb"' },                   ['4:11 clusters[0].name: must be one line of text']],
    ['a name cut by U+2028',        { name: '"a\\u2028b"' },               ['4:11 clusters[0].name: must be one line of text']],
    ['a name that is too long',     { name: 'a'.repeat(1_001) },           ['4:11 clusters[0].name: must be one line of text']],
    ['no API server',               { apiServer: null },                   ['3:5 clusters[0]: apiServer is missing']],
    ['an API server without TLS',   { apiServer: 'http://east.example' },  ['5:16 clusters[0].apiServer: must begin with https://']],
    ['an API server with all sorts', { apiServer: 'https://a:b@east/?c#d' }, ['5:16 clusters[0].apiServer: must not name a user', '5:16 clusters[0].apiServer: must not have a query', '5:16 clusters[0].apiServer: must not have a fragment']],
    ['no groups',                   { groups: null },                      ['3:5 clusters[0]: groups is missing']],
    ['one group',                   { groups: 'payments' },                ['7:13 clusters[0].groups: must be a list']],
    ['nothing as groups',           { groups: '' },                        ['3:5 clusters[0].groups: must be a list']],
    ['groups that are no text',     { groups: '[a, 1, [b], ""]' },         ['7:17 clusters[0].groups[1]: must be one line of text', '7:20 clusters[0].groups[2]: must be one line of text', '7:25 clusters[0].groups[3]: must be one line of text']],
    ['too many groups',             { groups: `[${'a,'.repeat(101)}]` },   ['7:13 clusters[0].groups: must have at most 100 items']],
    ['a server name with a star',   { tlsServerName: '"*.example"' },      ['8:20 clusters[0].tlsServerName: must be a host name']],
    ['an address as server name',   { tlsServerName: '10.0.0.1' },         ['8:20 clusters[0].tlsServerName: must be a host name']],
    ['a server name with a port',   { tlsServerName: 'a:6443' },           ['8:20 clusters[0].tlsServerName: must be a host name']],
    ['a URL as server name',        { tlsServerName: 'https://a' },        ['8:20 clusters[0].tlsServerName: must be a host name']],
    ['nothing as server name',      { tlsServerName: 'null' },             ['8:20 clusters[0].tlsServerName: must be a host name']],
    ['a number as server name',     { tlsServerName: '7' },                ['8:20 clusters[0].tlsServerName: must be a host name']],
    ['an authentication by name',   { auth: 'exchange' },                  ['8:11 clusters[0].auth: must be a mapping']],
    ['an empty authentication',     { auth: '{}' },                        ['8:11 clusters[0].auth: mode is missing']],
    ['another mode',                { auth: '{mode: impersonate}' },       ['8:18 clusters[0].auth.mode: must be passthrough or exchange']],
    ['another mode for somebody',   { auth: '{mode: exchanged, audience: a}' }, ['8:18 clusters[0].auth.mode: must be passthrough or exchange']],
    ['an audience without a mode',  { auth: '{audience: a}' },             ['8:11 clusters[0].auth: mode is missing']],
    ['an exchange without audience', { auth: '{mode: exchange}' },         ['8:11 clusters[0].auth: audience is missing']],
    ['an empty audience',           { auth: '{mode: exchange, audience: ""}' }, ['8:38 clusters[0].auth.audience: must be one line of text']],
    ['an audience for nothing',     { auth: '{mode: passthrough, audience: a}' }, ['8:41 clusters[0].auth.audience: there is an audience in mode exchange only']],
    ['an unknown key further in',   { auth: '{mode: exchange, audience: a, scope: b}' }, ['8:48 clusters[0].auth.scope: there is no such key, only mode, audience']],
    ['more than one there',         { auth: '{mode: x, scope: b, token: c}' }, ['8:18 clusters[0].auth.mode: must be passthrough or exchange', '8:28 clusters[0].auth.scope: there is no such key, only mode, audience', '8:38 clusters[0].auth.token: there is no such key, only mode, audience']],
    ['a list of labels',            { labels: '[env]' },                   ['8:13 clusters[0].labels: must be a mapping']],
    ['labels that are no text',     { labels: '{env: prod, tier: 1, x: true, y: null, z: {}}' }, ['8:31 clusters[0].labels.tier: must be text', '8:37 clusters[0].labels.x: must be text', '8:46 clusters[0].labels.y: must be text', '8:55 clusters[0].labels.z: must be text']],
    ['too many labels',             { labels: `{${numbered(101, (at) => `l${at}: a`)}}` }, ['8:13 clusters[0].labels: must have at most 100 keys']],
    ['a mapping of environments',   { environments: '{dev: a}' },          ['8:19 clusters[0].environments: must be a list']],
    ['an environment by its name',  { environments: '[dev]' },             ['8:20 clusters[0].environments[0]: must be a mapping']],
    ['an environment that is none', { environments: '[{name: test, namespace: "{team}"}]' }, ['8:27 clusters[0].environments[0].name: must be one of ENVIRONMENTS: dev, staging, production']],
    ['a lifecycle as environment',  { environments: '[{name: development, namespace: "{team}"}]' }, ['8:27 clusters[0].environments[0].name: must be one of ENVIRONMENTS: dev, staging, production']],
    ['an environment twice',        { environments: '[{name: dev, namespace: a}, {name: staging, namespace: a}, {name: dev, namespace: b}]' }, ['8:85 clusters[0].environments[2].name: is an environment further up']],
    ['an environment of nowhere',   { environments: '[{name: dev}]' },     ['8:20 clusters[0].environments[0]: namespace is missing']],
    ['a key that it does not have', { environments: '[{name: dev, namespace: a, cluster: b}]' }, ['8:55 clusters[0].environments[0].cluster: there is no such key, only name, namespace']],
    ['a namespace of another word', { environments: '[{name: dev, namespace: "{app}-dev"}]' }, [`8:43 clusters[0].environments[0].namespace: ${NO_NAMESPACE}`]],
    ['a namespace of two teams',    { environments: '[{name: dev, namespace: "{team}-{team}"}]' }, [`8:43 clusters[0].environments[0].namespace: ${NO_NAMESPACE}`]],
    ['a namespace with capitals',   { environments: '[{name: dev, namespace: "{team}-Dev"}]' }, [`8:43 clusters[0].environments[0].namespace: ${NO_NAMESPACE}`]],
    ['a namespace with a hyphen last', { environments: '[{name: dev, namespace: "{team}-"}]' }, [`8:43 clusters[0].environments[0].namespace: ${NO_NAMESPACE}`]],
    ['a namespace too long for any team', { environments: `[{name: dev, namespace: "{team}${'a'.repeat(62)}"}]` }, [`8:43 clusters[0].environments[0].namespace: ${NO_NAMESPACE}`]],
    ['a namespace as in a template', { environments: '[{name: dev, namespace: {team}-dev}]' }, [expect.stringMatching(/^8:/)]],
    ['too many environments',       { environments: `[${'{},'.repeat(11)}]` }, ['8:19 clusters[0].environments: must have at most 10 items']],
    ['an unknown key',              { apiserver: 'https://a' },            [`8:16 clusters[0].apiserver: there is no such key, only ${KEYS}`]],
    ['a key from elsewhere',        { token: 'hunter2' },                  [`8:12 clusters[0].token: there is no such key, only ${KEYS}`]],
    ['a key of 80 characters',      { ['k'.repeat(80)]: 'x' },             [`8:87 clusters[0].${'k'.repeat(80)}: there is no such key, only ${KEYS}`]],
    ['a key of 81 characters',      { ['k'.repeat(81)]: 'x' },             [`8:88 clusters[0].…: there is no such key, only ${KEYS}`]],
    ['a key that is no word',       { '"hunter2: \\n"': 'x' },             [`8:20 clusters[0].…: there is no such key, only ${KEYS}`]],
    ['no verification (kubeconfig)', { 'insecure-skip-tls-verify': 'true' }, [`8:31 clusters[0].insecure-skip-tls-verify: ${NO_SUCH_SETTING}`]],
    ['no verification (as in Go)',  { insecureSkipTLSVerify: 'true' },     [`8:28 clusters[0].insecureSkipTLSVerify: ${NO_SUCH_SETTING}`]],
    ['no verification (Backstage)', { skipTLSVerify: 'false' },            [`8:20 clusters[0].skipTLSVerify: ${NO_SUCH_SETTING}`]],
    ['no verification (Argo CD)',   { insecure: 'true' },                  [`8:15 clusters[0].insecure: ${NO_SUCH_SETTING}`]],
    ['no verification (in words)',  { skip_tls_verification: 'true' },     [`8:28 clusters[0].skip_tls_verification: ${NO_SUCH_SETTING}`]],
    ['no verification (further in)', { auth: '{mode: passthrough, skipTLSVerify: true}' }, [`8:46 clusters[0].auth.skipTLSVerify: ${NO_SUCH_SETTING}`]],
  ])('%s', (_, change, mistakes) => {
    expect(mistakesOf(fileOf(change))).toStrictEqual(mistakes)
  })

  test('a key that says so again and again costs no more than its length', () => {
    const withKey = (times: number) => () => {
      const [mistake] = mistakesOf(`${'skip'.repeat(times)}: true\n${fileOf({})}`)
      expect(mistake).toEndWith('…: there is no such key, only apiVersion, clusters')
    }
    expect(growth(200_000, withKey)).toBeLessThan(LINEAR_GROWTH_MAX)
  })

  test('no verification of anything', () => {
    expect(mistakesOf(`skipTLSVerify: true\n${fileOf({})}`)).toStrictEqual([
      `1:16 skipTLSVerify: ${NO_SUCH_SETTING}`,
    ])
  })
})

describe('ids', () => {
  test('are of one cluster each', () => {
    const text = fileOf({}, { id: 'west' }, {}, {})
    expect(mistakesOf(text)).toStrictEqual([
      '13:9 clusters[2].id: is the id of an entry further up',
      '18:9 clusters[3].id: is the id of an entry further up',
    ])
  })

  test('also of clusters that are wrong in another way', () => {
    expect(mistakesOf(fileOf({ groups: null }, { name: null }))).toStrictEqual([
      '3:5 clusters[0]: groups is missing',
      '7:5 clusters[1]: name is missing',
      '7:9 clusters[1].id: is the id of an entry further up',
    ])
  })

  test('are not compared before there are any', () => {
    expect(mistakesOf(fileOf({ id: null }, { id: null }))).toStrictEqual([
      '3:5 clusters[0]: id is missing',
      '7:5 clusters[1]: id is missing',
    ])
  })
})

describe('mistakes', () => {
  test('are told all at once', () => {
    const text = `apiVersion: portal/v2
owner: me
clusters:
  - id: East
    name:
    apiServer: http://east
    caFile: absent.pem
    groups: all
    auth: { mode: exchange }
    labels: { env: 1 }
    skipTLSVerify: true
  - {}
`
    expect(mistakesOf(text)).toStrictEqual([
      '1:13 apiVersion: must be portal/v1',
      '2:8 owner: there is no such key, only apiVersion, clusters',
      '4:5 clusters[0].name: must be one line of text',
      '4:9 clusters[0].id: must be a DNS-1123 label',
      '6:16 clusters[0].apiServer: must begin with https://',
      '7:13 clusters[0].caFile: cannot be read: no such file',
      '8:13 clusters[0].groups: must be a list',
      '9:11 clusters[0].auth: audience is missing',
      '10:20 clusters[0].labels.env: must be text',
      `11:20 clusters[0].skipTLSVerify: ${NO_SUCH_SETTING}`,
      '12:5 clusters[1]: id is missing',
      '12:5 clusters[1]: name is missing',
      '12:5 clusters[1]: apiServer is missing',
      '12:5 clusters[1]: caFile, caData or systemRoots: true is missing',
      '12:5 clusters[1]: groups is missing',
    ])
  })

  test.each([
    [100, []],
    [101, ['null:null and 1 more']],
    [180, ['null:null and 80 more']],
  ])('up to a hundred, of %d', (count, rest) => {
    const nameless = Array.from({ length: count }, (_, at) => ({ id: `c${at}`, name: null }))
    expect(mistakesOf(fileOf(...nameless)).slice(100)).toStrictEqual(rest)
  })

  test('of keys up to ten for a mapping', () => {
    const many = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`k${at}`, '1']))
    expect(mistakesOf(fileOf(many))).toHaveLength(10)
  })
})

test('reading ends with clusters or with mistakes, whatever the file', () => {
  const value = fc.constantFrom(
    '',
    'x',
    '1',
    '[]',
    '[a]',
    '{}',
    '{a: b}',
    'true',
    'https://a',
    'null',
    '*a',
    '&a [x]',
    '"',
  )
  const keys = fc.constantFrom(...KEYS.split(', '), '__proto__', 'x')
  fc.assert(
    fc.property(fc.array(fc.dictionary(keys, value), { maxLength: 3 }), (changes) => {
      const text = fileOf(...changes)
      const lines = text.split('\n').length
      const reading = parseRegistry(text, MEANS)
      const mistakes = reading.ok ? [] : reading.error
      expect(reading.ok).toBe(mistakes.length === 0)
      for (const { line } of mistakes) expect(line ?? 1).toBeWithin(1, lines + 1)
    }),
    { numRuns: 1_000 },
  )
})
