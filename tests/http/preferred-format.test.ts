import { describe, expect, test } from 'bun:test'
import { preferredFormat } from '#src/lib/http/negotiation.ts'

describe('wanted', () => {
  test.each([
    [undefined, 'any'],
    ['*/*', 'any'],
    ['application/json', 'json'],
    ['application/json, text/html;q=0.5', 'json'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'html'],
    ['text/html, application/json', 'html'],
    ['TEXT/HTML;q=0.1', 'html'],
    ['text/html;q=0', 'any'],
    ['text/html;q=x', 'any'],
  ])('%j is %s', (accept, expected) => {
    const headers = accept === undefined ? {} : { accept }
    expect(preferredFormat(new Request('http://x/', { headers }))).toBe(expected as 'any')
  })
})
