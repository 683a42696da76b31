/** `issuer`: the token came from the provider over TLS. `anybody`: anybody who reaches the portal may have sent it. */
export type TokenSource = 'issuer' | 'anybody'
