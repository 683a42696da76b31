import { expect, test } from 'bun:test'
import { isCrossSite } from '#src/lib/domain/access/cross-site.ts'

const OWN = 'https://portal.corp'
const UI = 'https://ui.corp'

// prettier-ignore
test.each([
  ['GET from anywhere',             'GET',    { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }, false],
  ['HEAD from anywhere',            'HEAD',   { 'sec-fetch-site': 'cross-site' },                    false],
  ['OPTIONS from anywhere',         'OPTIONS', { origin: 'https://evil.example' },                   false],
  ['no browser',                    'POST',   {},                                                    false],
  ['our own page',                  'POST',   { 'sec-fetch-site': 'same-origin', origin: OWN },      false],
  ['typed by the user',             'POST',   { 'sec-fetch-site': 'none' },                          false],
  ['another site',                  'POST',   { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }, true],
  ['a sibling host',                'POST',   { 'sec-fetch-site': 'same-site', origin: 'https://wiki.corp' }, true],
  ['a sibling host, no Origin',     'POST',   { 'sec-fetch-site': 'same-site' },                     true],
  ['a sibling that claims our Origin', 'POST', { 'sec-fetch-site': 'same-site', origin: OWN },       true],
  ['a word we do not know',         'POST',   { 'sec-fetch-site': 'SAME-ORIGIN', origin: OWN },      true],
  ['two words',                     'POST',   { 'sec-fetch-site': 'same-origin, cross-site' },       true],
  ['an empty word',                 'POST',   { 'sec-fetch-site': '' },                              true],
  ['the trusted origin',            'POST',   { 'sec-fetch-site': 'same-site', origin: UI },         false],
  ['the trusted origin, old browser', 'POST', { origin: UI },                                        false],
  ['our own, old browser',          'POST',   { origin: OWN },                                       false],
  ['null',                          'POST',   { origin: 'null' },                                    true],
  ['an empty Origin',               'POST',   { origin: '' },                                        true],
  ['a suffix of our host',          'POST',   { origin: 'https://portal.corp.evil' },                true],
  ['another port',                  'POST',   { origin: 'https://portal.corp:8443' },                true],
  ['another scheme',                'POST',   { origin: 'http://portal.corp' },                      true],
  ['another case',                  'POST',   { origin: 'https://Portal.corp' },                     true],
  ['PUT',                           'PUT',    { 'sec-fetch-site': 'cross-site' },                    true],
  ['DELETE',                        'DELETE', { origin: 'https://evil.example' },                    true],
  ['a method in lower case',        'get',    { 'sec-fetch-site': 'cross-site' },                    true],
] as const)('%s', (_, method, headers, expected) => {
  expect(isCrossSite({ method, headers: new Headers(headers) }, [OWN], [UI])).toBe(expected)
})
