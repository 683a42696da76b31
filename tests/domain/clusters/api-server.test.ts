import { describe, expect, test } from 'bun:test'
import { apiServer } from '#src/lib/domain/clusters/api-server.ts'

const USER = 'must not name a user'
const QUERY = 'must not have a query'
const FRAGMENT = 'must not have a fragment'
const NO_TLS = 'must begin with https://'
const NO_URL = 'must be a URL'

describe('an API server', () => {
  // prettier-ignore
  test.each([
    ['https://east.example:6443',      'https://east.example:6443'],
    ['https://east.example:6443/',     'https://east.example:6443'],
    ['https://east.example',           'https://east.example:443'],
    ['https://east.example:443',       'https://east.example:443'],
    ['HTTPS://East.Example:6443',      'https://east.example:6443'],
    ['https://10.0.0.1:6443',          'https://10.0.0.1:6443'],
    ['https://[fd00::1]:6443',         'https://[fd00::1]:6443'],
    ['https://rancher/k8s/clusters/c', 'https://rancher:443/k8s/clusters/c'],
    ['https://rancher/k8s//',          'https://rancher:443/k8s'],
    [`https://east/${'a'.repeat(1_987)}`, `https://east:443/${'a'.repeat(1_987)}`],
    ['https://rancher/a/../b@c',       'https://rancher:443/b@c'],
  ])('%s', (text, expected) => {
    expect(apiServer(text, [])).toStrictEqual({ ok: true, value: expected })
  })

  // prettier-ignore
  test.each<[unknown, readonly string[]]>([
    ['http://east.example',           [NO_TLS]],
    ['ftp://east.example',            [NO_TLS]],
    ['file:///etc/passwd',            [NO_TLS]],
    ['east.example:6443',             [NO_TLS]],
    ['east.example',                  [NO_URL]],
    ['//east.example',                [NO_URL]],
    ['https:east.example',            [NO_URL]],
    ['https:/east.example',           [NO_URL]],
    ['https:///east.example',         [NO_URL]],
    ['https://',                      [NO_URL]],
    ['https://east.example:99999',    [NO_URL]],
    ['https://east example',          [NO_URL]],
    [' https://east.example',         [NO_URL]],
    ['https://east.example\n',        [NO_URL]],
    ['https://east.exa\tmple',        [NO_URL]],
    ['https://east.example\\a',       [NO_URL]],
    [`https://east/${'a'.repeat(1_988)}`, [NO_URL]],
    ['',                              [NO_URL]],
    [null,                            [NO_URL]],
    [443,                             [NO_URL]],
    ['https://user@east',             [USER]],
    ['https://user:word@east',        [USER]],
    ['https://@east',                 [USER]],
    ['https://:@east',                [USER]],
    ['https://east/?a=b',             [QUERY]],
    ['https://east?',                 [QUERY]],
    ['https://east/#a',               [FRAGMENT]],
    ['https://east#',                 [FRAGMENT]],
    ['https://a@east?b#c',            [USER, QUERY, FRAGMENT]],
    ['https://east?a@b',              [QUERY]],
  ])('not %j', (text, messages) => {
    const at = ['clusters', 0]
    const error = messages.map((message) => ({ at, message }))
    expect(apiServer(text, at)).toStrictEqual({ ok: false, error })
  })
})
