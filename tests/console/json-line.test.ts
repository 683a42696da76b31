import { expect, test } from 'bun:test'
import { jsonLine } from '#src/console/ui/json-line.ts'

const opened = (text: string) =>
  jsonLine(text)
    ?.map((span) => span.text)
    .join('')

// prettier-ignore
test.each([
  ['{"level":30,"time":1764322200000,"msg":"up","port":8080}', '2025-11-28T09:30:00.000Z INFO up port=8080'],
  ['{"ts":1764322200.5,"level":"warn","msg":"slow"}',           '2025-11-28T09:30:00.500Z WARN slow'],
  ['{"severity":"ERROR","message":"a b","who":"x y"}',          'ERROR a b who="x y"'],
  ['{"msg":"a","err":{"type":"E","stack":"E: x\\n  at y"}}',    'a error={"type":"E"}\nE: x\n  at y'],
  ['{"msg":"a","error":"refused"}',                             'a error=refused'],
  ['{"msg":"\\u001b[2Ja\\u202eb","time":9e99}',                 '9e+99 ␛[2Ja<U+202E>b'],
  ['{"msg":"a","__proto__":{"b":1}}',                           'a __proto__={"b":1}'],
  ['{"level":"info"}',     undefined],
  ['{"msg":1}',            undefined],
  ['{broken',              undefined],
  ['[{"msg":"a"}]',        undefined],
  ['level=info msg=a',     undefined],
])('%s is %j', (text, shown) => {
  expect(opened(text)).toBe(shown)
})

test('the level has the colour of its severity', () => {
  const classOf = (level: string) => jsonLine(JSON.stringify({ level, msg: 'a' }))?.[0]?.classes
  expect(['info', 'warning', 'fatal'].map(classOf)).toStrictEqual([
    'ansi-cyan',
    'ansi-yellow ansi-bold',
    'ansi-red ansi-bold',
  ])
})
