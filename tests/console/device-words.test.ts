import { expect, test } from 'bun:test'
import { deviceWords } from '#src/console/pages/sessions/device-words.ts'

const CHROME = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36'

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0', 'Firefox on Linux'],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME}`, 'Chrome on Windows'],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Edg/150.0`, 'Edge on Windows'],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/19.0 Safari/605.1.15',
    'Safari on macOS',
  ],
  [`Mozilla/5.0 (Linux; Android 16) ${CHROME}`, 'Chrome on Android'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Safari/604.1',
    'Safari on an iPhone',
  ],
  ['curl/8.17.0', 'curl'],
  ['portico-cli/1.4.0', 'portico-cli/1.4.0'],
  ['Something (Linux)', 'A program on Linux'],
  ['', 'Unknown program'],
  [null, 'Unknown program'],
])('%p is %s', (userAgent, words) => {
  expect(deviceWords(userAgent)).toBe(words)
})
