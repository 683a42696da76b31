import script from './install.sh.txt' with { type: 'text' }

/** The installer of this portal: the script as it is read, with where it comes from and what it installs. */
export const installScript = ({
  name,
  origin,
}: {
  readonly name: string
  readonly origin: string
}): string =>
  script.replace("'@NAME@'", () => quoted(name)).replace("'@ORIGIN@'", () => quoted(origin))

/** One word of a shell, whatever is in it. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
