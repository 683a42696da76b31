/** `issuer`: the token came from the provider over TLS. `anybody`: whoever reaches the portal can have sent it. */
export type TokenSource = 'issuer' | 'anybody'
