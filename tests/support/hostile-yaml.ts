/**
 * Hostile catalog files, each named for its attack, with the expected result of reading it.
 */
export interface HostileFile {
  readonly bytes: Uint8Array
  /** Number of entities served from it. */
  readonly entities: number
  /** Code of the first problem; `null` without one. */
  readonly code: string | null
}

const KIBIBYTE = 1024
const MEBIBYTE = 1024 * KIBIBYTE

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const times = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('')
/** As often as it fits below the limits of a file: its bytes, and its characters that may begin a value. */
const fill = (text: string): string => {
  const marks = [...text.matchAll(/[-?:,[{\n\r]/g)].length
  const bytes = utf8(text).length
  return text.repeat(Math.floor(Math.min((MEBIBYTE - KIBIBYTE) / bytes, 199_000 / marks)))
}

export const entity = (name: string, more = ''): string =>
  `apiVersion: portico/v1\nkind: Component\nmetadata:\n  name: ${name}\n${more}`

/** Nine levels of nine aliases: 272 bytes that are 33 MB of JSON. */
const aliasBomb = `a0: &a0 [x,x,x,x,x,x,x,x,x]\n${times(
  8,
  (level) => `a${level + 1}: &a${level + 1} [${Array(9).fill(`*a${level}`).join(',')}]\n`,
)}`

/** Each document stays below the limits of a document; together they are a gigabyte. */
const aliasBombs = `---\n${entity('bomb', `b0: &b0 [${'x,'.repeat(30)}x]\nb1: &b1 [${'*b0,'.repeat(30)}x]\nb2: [${'*b1,'.repeat(30)}x]\n`)}`

const refused = (code: string, content: string | Uint8Array): HostileFile => ({
  bytes: typeof content === 'string' ? utf8(content) : content,
  entities: 0,
  code,
})
const warned = (code: string, content: string): HostileFile => ({
  bytes: utf8(content),
  entities: 1,
  code,
})
const served = (content: string | Uint8Array, entities = 1): HostileFile => ({
  bytes: typeof content === 'string' ? utf8(content) : content,
  entities,
  code: null,
})

const utf16 = (text: string): Uint8Array => {
  const units = Uint16Array.from(`\uFEFF${text}`, (character) => character.charCodeAt(0))
  return new Uint8Array(units.buffer)
}

// prettier-ignore
export const hostileYaml = {
  'alias bomb': refused('document_too_large', aliasBomb),
  'an alias bomb in an entity': refused('document_too_large', entity('bomb', aliasBomb)),
  'many small alias bombs': { bytes: utf8(fill(aliasBombs)), entities: 7, code: 'document_too_large' },
  'cyclic anchors': refused('document_cyclic', entity('cyclic', 'spec: &spec\n  self: *spec\n')),
  'cyclic anchors in a list': refused('document_cyclic', entity('cyclic', 'list: &list [[*list]]\n')),
  'more aliases than allowed': refused('yaml_syntax', entity('aliases', `a: &a 1\nb: [${'*a,'.repeat(1001)}]\n`)),
  'an alias without an anchor': refused('yaml_syntax', entity('aliases', 'a: *nobody\n')),
  'many anchors': refused('document_too_large', entity('anchors', `list:\n${times(60_000, (index) => `  - &a${index} 1\n`)}`)),
  'an anchor on an anchor': refused('yaml_syntax', fill('&a ')),
  'one anchor on each line': refused('yaml_syntax', fill('&a\n')),
  'anchors further and further in': refused('yaml_syntax', times(1_400, (index) => `${' '.repeat(index)}&a\n`)),
  'tags on tags': refused('yaml_syntax', fill('! ')),
  'explicit keys': refused('yaml_too_deep', fill('? ')),
  'explicit keys on each line': refused('yaml_duplicate_key', fill('?\n')),
  'a long merge chain': refused('yaml_too_deep', `m0: &m0 {a0: 1}\n${times(999, (index) => `m${index + 1}: &m${index + 1}\n  <<: *m${index}\n  a${index + 1}: 1\n`)}`),
  'a flat map of 64 KiB': served(entity('flat', `spec:\n${times(5_000, (index) => `  key${index}: ${index}\n`)}`)),
  'a flat map of 1 MiB': refused('document_too_large', entity('flat', `spec:\n${times(55_000, (index) => `  k${index}: ${index}\n`)}`)),
  'a flat map of numbers': refused('document_too_large', entity('flat', `spec:\n${times(60_000, (index) => `  ${4_294_967_290 - index * 70_001}: 1\n`)}`)),
  'a flow map of 1 MiB': refused('document_too_large', `{${times(80_000, (index) => `k${index}: 1,`)}}`),
  'flow lists, 15,000 deep': refused('yaml_too_deep', '['.repeat(15_000) + ']'.repeat(15_000)),
  'flow maps, 15,000 deep': refused('yaml_too_deep', '{a: '.repeat(15_000) + '}'.repeat(15_000)),
  'block lists on one line': refused('yaml_too_deep', fill('- ')),
  'block maps, 1,000 deep': refused('yaml_too_deep', times(1_000, (index) => `${' '.repeat(index)}a:\n`)),
  'a list in a list, 50 deep, again and again': refused('document_not_mapping', fill(`--- ${'['.repeat(50)}${']'.repeat(50)}\n`)),
  'duplicate keys': refused('yaml_duplicate_key', entity('twice', 'spec:\n  owner: a\n  owner: b\n')),
  'a duplicate key in quotes': refused('yaml_duplicate_key', entity('twice', 'spec:\n  owner: a\n  "owner": b\n')),
  'a duplicate key in a flow map': refused('yaml_duplicate_key', entity('twice', 'spec: {owner: a, owner: b}\n')),
  '__proto__ as a key': served(entity('proto', '__proto__:\n  polluted: true\nspec:\n  __proto__: {polluted: true}\n')),
  'constructor as a key': served(entity('proto', 'constructor:\n  prototype: {polluted: true}\ntoString: 1\n')),
  'no envelope but __proto__': refused('field_missing', '__proto__:\n  apiVersion: a\n  kind: Component\n  metadata: {name: a}\n'),
  'not UTF-8': refused('file_not_utf8', Uint8Array.of(...utf8('a: '), 0xff, 0xfe, 0xfd)),
  'UTF-8 cut off': refused('file_not_utf8', Uint8Array.of(...utf8('a: '), 0xe2, 0x82)),
  'an overlong slash': refused('file_not_utf8', Uint8Array.of(...utf8('a: '), 0xc0, 0xaf)),
  'a surrogate in UTF-8': refused('file_not_utf8', Uint8Array.of(...utf8('a: '), 0xed, 0xa0, 0x80)),
  'UTF-16 with a byte order mark': refused('file_not_utf8', utf16(entity('wide'))),
  'UTF-16 without one': refused('yaml_syntax', utf16(entity('wide')).slice(2)),
  'a byte order mark': served(`\uFEFF${entity('marked')}`),
  'CRLF': served(entity('windows').replaceAll('\n', '\r\n')),
  'CR alone': served(entity('macintosh').replaceAll('\n', '\r')),
  'NUL': refused('yaml_syntax', entity('nul', 'a: "\0"\n')),
  'an escaped NUL': served(entity('nul', 'a: "\\0"\n')),
  'control characters': refused('yaml_syntax', entity('bell', 'a: \u0007\n')),
  'right to left override in a name': refused('field_invalid', entity('"x\u202E"')),
  'a lone surrogate, escaped': served(entity('lone', 'a: "\\ud800"\n')),
  'a code point that is none': served(entity('beyond', 'a: "\\UFFFFFFFF"\n')),
  '10,000 empty documents': served('---\n'.repeat(10_000), 0),
  'as many empty documents as fit': served(fill('---\n'), 0),
  'as many small documents as fit': refused('document_not_mapping', fill('--- 1\n')),
  'as many document ends as fit': served(fill('...\n'), 0),
  'as many entities as fit': served(fill(`---\n${entity('same')}`), Math.floor((MEBIBYTE - KIBIBYTE) / `---\n${entity('same')}`.length)),
  'a huge scalar': refused('document_too_large', entity('huge', `a: ${'x'.repeat(900 * KIBIBYTE)}\n`)),
  'a huge quoted scalar': refused('document_too_large', entity('huge', `a: "${'\\u00e9'.repeat(160 * KIBIBYTE)}"\n`)),
  'a huge scalar of many lines': refused('document_too_large', entity('huge', `a: ${'xx\n  '.repeat(180 * KIBIBYTE)}\n`)),
  'a huge block scalar': refused('document_too_large', entity('huge', `a: |\n${'  xx\n'.repeat(180 * KIBIBYTE)}`)),
  'a block scalar of empty lines': refused('document_too_large', entity('huge', `a: |+\n${'  \n'.repeat(190 * KIBIBYTE)}`)),
  'a scalar that folds to more': served(entity('folds', `  title: ${'\uFDFA'.repeat(80 * KIBIBYTE)}\n`)),
  'a number of 400 digits': served(entity('digits', `a: ${'9'.repeat(400)}\n`)),
  'a number of 900,000 digits': refused('document_too_large', entity('digits', `a: 0x${'f'.repeat(900_000)}\n`)),
  'infinity': refused('document_not_json', entity('digits', 'a: -.inf\n')),
  'almost a float': refused('document_too_large', entity('digits', `a: ${'1'.repeat(450_000)}.${'1'.repeat(450_000)}x\n`)),
  'a long flow list': refused('document_too_large', entity('list', `a: [${'1,'.repeat(190_000)}]\n`)),
  'a long flow list of pairs': refused('document_too_large', entity('list', `a: [${'a: b,'.repeat(99_000)}]\n`)),
  'a long block list': refused('document_too_large', entity('list', `a:\n${'- 1\n'.repeat(99_000)}`)),
  'a long list without an end': refused('yaml_syntax', `[${fill('1,')}`),
  'a list as a key': refused('yaml_syntax', `{[${'1,'.repeat(190_000)}]: 1}`),
  'comment flood': served(`${fill('#\n')}${entity('comments')}`),
  'comments after each value': served(entity('comments', '# x\n'.repeat(190_000))),
  'one long comment': served(`#${'x'.repeat(1_000_000)}\n${entity('comment')}`),
  'blank lines': served(`${'\n'.repeat(190_000)}${entity('blank')}`),
  'blank lines in a scalar': refused('yaml_syntax', `a: x${'\n'.repeat(190_000)}b`),
  'white space': served(`${' '.repeat(1_000_000)}\n${entity('space')}`),
  'quotes without an end': refused('yaml_syntax', fill(`"`)),
  'a quote without an end': refused('yaml_syntax', `a: "${'x'.repeat(1_000_000)}`),
  'byte order marks on each line': refused('document_too_large', `a${'\n\uFEFF'.repeat(190_000)}`),
  'byte order marks before documents': served(fill('\uFEFF---\n'), 0),
  'tabs for indentation': refused('yaml_syntax', entity('tabs', 'spec:\n\towner: a\n')),
  'directives': refused('yaml_syntax', fill('%A b\n')),
  'tag directives': refused('document_not_mapping', `${times(40_000, (index) => `%TAG !t${index}! tag:x\n`)}--- 1\n`),
  'a long tag prefix': refused('yaml_syntax', `%TAG !e! tag:${'a'.repeat(500_000)}\n--- [${'!e!x 1,'.repeat(50_000)}]\n`),
  'an unknown tag': refused('yaml_syntax', entity('tagged', 'a: !!js/function "x"\n')),
  'a long tag': refused('yaml_syntax', `!<${'a'.repeat(1_000_000)}> x`),
  'a long anchor': refused('yaml_syntax', `a: *${'a'.repeat(1_000_000)}`),
  'colons': refused('yaml_duplicate_key', fill(':\n')),
  'colons in a flow map': refused('yaml_duplicate_key', `{${fill(':,')}}`),
  'more structure than allowed': refused('file_too_large', '-\n'.repeat(100_001)),
  'mappings on one line': refused('yaml_syntax', fill('a: ')),
  'question marks in a flow list': refused('document_too_large', `[${'? ,'.repeat(99_000)}]`),
  'a long wrong annotation': warned('field_invalid', `apiVersion: a\nkind: A\nmetadata:\n  name: a\n  annotations:\n    ${'n'.repeat(1000)}: 1\n`),
  'many wrong annotations': warned('field_invalid', `apiVersion: a\nkind: A\nmetadata:\n  name: a\n  annotations:\n${times(15_000, (index) => `    a${index}: 1\n`)}`),
  'many large numbers': { bytes: utf8(entity('numbers', `a:\n${'- 9007199254740993\n'.repeat(40_000)}`)), entities: 0, code: 'number_imprecise' },
  'one byte more than 1 MiB': refused('file_too_large', `#${'x'.repeat(MEBIBYTE)}`),
  '1 MiB': served(`${entity('full')}#${'x'.repeat(MEBIBYTE - entity('full').length - 1)}`),
  'a JSON file': served('{"apiVersion":"a","kind":"A","metadata":{"name":"a"}}'),
  'nothing': served('', 0),
} as const satisfies Record<string, HostileFile>
