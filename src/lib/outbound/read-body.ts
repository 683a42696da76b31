/** Reads a whole body, or returns `null` once it exceeds `maxBytes`. Throws what the body throws. */
export async function readBody(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<Buffer<ArrayBuffer> | null> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.byteLength
    // Leaving the loop cancels the body.
    if (length > maxBytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, length)
}
