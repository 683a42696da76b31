import { describe, expect, test } from 'bun:test'
import { hostPhrase, isUncertain } from '#src/lib/git/host-words.ts'
import {
  apiPath,
  hostError,
  messageOf,
  refusalOf,
} from '#src/lib/adapters/hosts/hosted/api/client.ts'

describe('a path of the API', () => {
  test('encodes each segment of a value and keeps its slashes', () => {
    expect(apiPath`/repos/${'acme'}/${'a.b_c'}/contents/${'docs/a b#1?.md'}`).toBe(
      '/repos/acme/a.b_c/contents/docs/a%20b%231%3F.md',
    )
    expect(apiPath`/pulls/${7}`).toBe('/pulls/7')
    expect(apiPath`/git/ref/heads/${'promote/a@b'}`).toBe('/git/ref/heads/promote/a%40b')
  })

  test.each(['..', 'a/../b', '.', '', 'a//b', '/a'])('refuses %j', (value) => {
    expect(() => apiPath`/repos/${value}`).toThrow()
  })
})

test('an effect may exist after a failure of the connection or of the host, and after no refusal', () => {
  expect(isUncertain({ kind: 'git_host_unreachable' })).toBe(true)
  expect(isUncertain({ kind: 'git_host_timeout' })).toBe(true)
  expect(isUncertain({ kind: 'git_host_error', reason: '' })).toBe(true)
  expect(isUncertain({ kind: 'git_denied', what: '' })).toBe(false)
  expect(isUncertain({ kind: 'git_rate_limited', retryAfterSeconds: 1 })).toBe(false)
})

const answer = (status: number, json?: unknown) => ({ status, headers: new Headers(), json })
const subject = { repository: 'acme/gitops', right: 'contents: write' }

describe('what an unsuccessful answer means', () => {
  test.each([
    [404, { kind: 'git_not_found', what: 'repository' }],
    [410, { kind: 'git_not_found', what: 'repository' }],
    [403, { kind: 'git_denied', what: 'contents: write on acme/gitops (No.)' }],
    [423, { kind: 'git_denied', what: 'acme/gitops is archived' }],
    [451, { kind: 'git_denied', what: 'acme/gitops is blocked for legal reasons' }],
    [418, { kind: 'git_host_error', reason: 'answered with 418 (No.)' }],
  ] as const)('%i', (status, failure) => {
    expect(refusalOf(answer(status, { message: 'No.' }), subject)).toStrictEqual(failure)
  })

  test('without a message', () => {
    expect(refusalOf(answer(403), subject)).toStrictEqual({
      kind: 'git_denied',
      what: 'contents: write on acme/gitops',
    })
  })
})

describe('text of a host', () => {
  test('is one short line of printable ASCII', () => {
    const message = `a\n\u001b[31mb\u202e ${'x'.repeat(1_000)}`
    expect(messageOf({ json: { message } })).toBe(`a [31mb  ${'x'.repeat(1_000)}`.slice(0, 200))
  })

  test('has no signature of a URL', () => {
    const text = 'see https://store.test/a?sig=secret now'
    expect(hostPhrase(text)).toBe('see https://store.test/a now')
    expect(hostError(text).error.reason).toBe('see https://store.test/a now')
  })

  test('has no credentials of a URL', () => {
    expect(hostPhrase('see http://a:secret@b@store.test/a')).toBe('see http://store.test/a')
    expect(hostPhrase('https://store.test/ada@example.org')).toBe(
      'https://store.test/ada@example.org',
    )
  })

  test.each([[undefined], [null], ['text'], [[]], [{ message: 1 }]])('is missing in %j', (json) => {
    expect(messageOf({ json })).toBe('')
  })
})
