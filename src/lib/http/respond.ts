/** Handlers return complete responses and do not use Elysia's `set`, which would copy every response. */
type Headers = Readonly<Record<string, string>>

export const json = (
  value: unknown,
  { status = 200, headers = {} }: { readonly status?: number; readonly headers?: Headers } = {},
): Response =>
  new Response(JSON.stringify(value), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  })

export const noContent = (): Response => new Response(null, { status: 204 })
