import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { html } from '#src/lib/http/html.ts'

describe('html', () => {
  test.each([
    ['<b>', '&lt;b&gt;'],
    ['a & b', 'a &amp; b'],
    [`"'`, '&quot;&#39;'],
    ['&amp;', '&amp;amp;'],
    [42, '42'],
    [null, ''],
    [['<', html`<i>${'<'}</i>`, ['>']], '&lt;<i>&lt;</i>&gt;'],
  ])('escapes what is no HTML: %j becomes %j', (value, expected) => {
    expect(html`${value}`.toString()).toBe(expected)
  })

  test('whatever the text, the template keeps its tags', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const rendered = html`<a title="${text}">${text}</a>`.toString()
        expect(rendered.match(/[<>"']/g)?.join('')).toBe('<""><>')
      }),
    )
  })
})
