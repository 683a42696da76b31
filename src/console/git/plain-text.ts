/** Control and format characters, except tabs and line feeds. They can make a diff look like another one (CVE-2021-42574). */
const INVISIBLE = /[^\P{Cc}\n\t]|\p{Cf}|[\u2028\u2029]/gu

export const plainText = (text: string): string =>
  text.replaceAll(INVISIBLE, (found) => `\\u{${found.codePointAt(0)?.toString(16) ?? ''}}`)
