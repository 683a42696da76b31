/**
 * Keys of requests: the same request has the same key, so that sending it again after a lost answer joins the run that it
 * began, and a changed one has another.
 */
export function createKeys(random: () => string): (request: object) => string {
  let last = { text: '', key: '' }
  return (request) => {
    const text = JSON.stringify(request)
    if (text !== last.text) last = { text, key: random() }
    return last.key
  }
}

/** `crypto.randomUUID` exists in secure contexts alone. */
export const randomKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-')
