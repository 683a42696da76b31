/** Whether the client would rather not wait (RFC 7240 §4.1), in any of its `Prefer` headers. */
export const prefersAsync = ({ headers }: Request): boolean =>
  (headers.get('prefer') ?? '')
    .replaceAll(QUOTED, '')
    .split(',')
    .some((preference) => RESPOND_ASYNC.test(preference))

/** Quoted values may have commas of their own. */
const QUOTED = /"(?:[^"\\]|\\.)*"/g
const RESPOND_ASYNC = /^\s*respond-async\s*(?:;|=?\s*$)/i
