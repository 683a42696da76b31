# Rights of the External Secrets Operator: it reads the entries that Portico writes, and nothing else.

path "secret/data/+/+/+/env" {
  capabilities = ["read"]
}

# Before each use it looks whether its login still holds, and gives the login back afterwards.
path "auth/token/lookup-self" {
  capabilities = ["read"]
}
path "auth/token/revoke-self" {
  capabilities = ["update"]
}
