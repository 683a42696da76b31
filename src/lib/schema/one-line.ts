/**
 * Pattern of a text of one line: no control characters, line separators, lone surrogates or characters that YAML does not allow. Such
 * texts go into files, commit messages and pull requests. Ranges instead of `\p{…}`, which the patterns of some languages lack.
 */
export const ONE_LINE =
  '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\ud800-\\udfff\\ufeff\\ufffe\\uffff]*$'
