import script from './install.sh.txt' with { type: 'text' }

/** The installer script with the program's name and the portal's origin filled in. */
export const installScript = (name: string, origin: string): string =>
  script.replace("'@NAME@'", () => quoted(name)).replace("'@ORIGIN@'", () => quoted(origin))

/** A single shell word. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
