import { describe, expect, test } from 'bun:test'
import { traceOf } from '#src/lib/http/trace-context.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'
const traceparent = `00-${TRACE}-${PARENT}-01`
const of = (headers: Readonly<Record<string, string>>) =>
  traceOf(new Request('http://portal.test/', { headers }))

describe('a trace is passed on', () => {
  // prettier-ignore
  test.each([
    ['as it came',                traceparent],
    ['not sampled',               `00-${TRACE}-${PARENT}-00`],
    ['of a later version',        `01-${TRACE}-${PARENT}-01`],
    ['with more than we know of', `cc-${TRACE}-${PARENT}-01-what-the-future-will-be-like`],
  ])('%s', (_, given) => {
    expect(of({ traceparent: given })).toStrictEqual({ traceparent: given })
  })

  test('with the state of its vendors, if everybody has to pass on as much', () => {
    const longest = `a=${'b'.repeat(510)}`
    expect(of({ traceparent, tracestate: longest })).toStrictEqual({
      traceparent,
      tracestate: longest,
    })
    expect(of({ traceparent, tracestate: `${longest}b` })).toStrictEqual({ traceparent })
    expect(of({ traceparent, tracestate: 'ä' })).toStrictEqual({ traceparent })
    expect(of({ traceparent, tracestate: '' })).toStrictEqual({ traceparent })
  })
})

describe('what is no trace is not', () => {
  // prettier-ignore
  test.each([
    ['nothing',                   ''],
    ['no version',                `ff-${TRACE}-${PARENT}-01`],
    ['version 00 with more',      `${traceparent}-more`],
    ['version 00 with a dash',    `${traceparent}-`],
    ['a later version run on',    `cc-${TRACE}-${PARENT}-01.more`],
    ['a trace of zeros',          `00-${'0'.repeat(32)}-${PARENT}-01`],
    ['a parent of zeros',         `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['capital letters',           traceparent.toUpperCase()],
    ['a short trace',             `00-${TRACE.slice(1)}-${PARENT}-01`],
    ['no flags',                  `00-${TRACE}-${PARENT}`],
    ['two of them',               `${traceparent}, ${traceparent}`],
    ['something endless',         `cc-${TRACE}-${PARENT}-01-${'x'.repeat(1_000)}`],
  ])('%s', (_, given) => {
    expect(of({ traceparent: given, tracestate: 'a=b' })).toBeNull()
  })

  test('state without a trace', () => {
    expect(of({ tracestate: 'a=b' })).toBeNull()
  })
})
