/** How the service proves itself to the store. */
export interface ServiceLogin {
  readonly kind: 'token'
  readonly token: string
}
