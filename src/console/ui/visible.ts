/**
 * Characters that act on a screen or turn the text around them, instead of being seen: C0 without the tab, DEL, C1, separators of
 * lines, marks of direction (Unicode UAX #9), spaces without width, and tags. The joiners of emoji and scripts are no such characters.
 */
const ACTING =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu

/** Unicode's pictures of the control characters start here: `␀` for NUL. */
const PICTURES = 0x2400
const PICTURE_OF_DELETE = '\u2421'
const DELETE = 0x7f

/** Text without any effect: an escape becomes `␛`, an override of the direction `<U+202E>`. A tab stays. */
export const visible = (text: string): string => text.replace(ACTING, pictureOf)

function pictureOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x20) return String.fromCodePoint(PICTURES + code)
  if (code === DELETE) return PICTURE_OF_DELETE
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`
}
