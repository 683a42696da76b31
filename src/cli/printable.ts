/** Characters that a terminal acts upon, or that end a line, in C0, C1, Unicode's format characters and halves of pairs. */
const CONTROL = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu
/** The same ones without the line ends between the members of JSON; within texts JSON has escaped those. */
const CONTROL_IN_JSON = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
/** Begins a command of GitHub's runners anywhere in a line. */
const RUNNER_COMMAND = /##\[/g

const escaped = (character: string): string =>
  `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`

/** Text of a checkout for one line of a log: a file's name can be anything. */
export const printable = (text: string): string =>
  text.replace(CONTROL, escaped).replace(RUNNER_COMMAND, `${escaped('#')}#[`)

/** JSON that a log can show. */
export const printableJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(CONTROL_IN_JSON, (character) =>
    character.split('').map(unit).join(''),
  )

const unit = (half: string): string => `\\u${half.charCodeAt(0).toString(16).padStart(4, '0')}`
