const DIGEST_SHOWN = 'sha256:'.length + 12

/** `payments-api:1.5.0` for `ghcr.io/acme/payments-api:1.5.0`, with the beginning of a digest. */
export function shortImage(image: string): string {
  const [tagged = '', digest] = image.split('@')
  const name = tagged.slice(tagged.lastIndexOf('/') + 1)
  return digest === undefined ? name : `${name}@${digest.slice(0, DIGEST_SHOWN)}`
}
