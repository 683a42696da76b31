const HEADERS = {
  'content-type': 'text/plain; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
}

/** Streams a log. `HEAD` gives it up. */
export async function answerLog(
  request: Request,
  log: ReadableStream<Uint8Array>,
): Promise<Response> {
  if (request.method === 'GET') return new Response(log, { headers: HEADERS })
  await log.cancel()
  return new Response(null, { headers: HEADERS })
}
