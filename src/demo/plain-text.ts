/**
 * Control and format characters: they change the order or the width of text, which would make a diff look like another
 * one (CVE-2021-42574). Tabs and line ends stay.
 */
const INVISIBLE = /[^\P{Cc}\n\t]|\p{Cf}|[\u2028\u2029]/gu

export const plainText = (text: string): string =>
  text.replaceAll(INVISIBLE, (found) => `\\u{${found.codePointAt(0)?.toString(16) ?? ''}}`)
