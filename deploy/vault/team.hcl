# Rights of the persons of one team, here `payments`, with VAULT_AUTH=user. One such file for each team, as the policy of the
# group that the identity provider names. In place of the last `+`, `dev` allows one environment alone.

path "secret/data/payments/+/+/env" {
  capabilities = ["create", "patch"]
}

path "secret/subkeys/payments/+/+/env" {
  capabilities = ["read"]
}

path "secret/metadata/payments/+/+/env" {
  capabilities = ["patch"]
  allowed_parameters = {
    "custom_metadata" = []
  }
}

path "sys/capabilities-self" {
  capabilities = ["update"]
}
path "auth/token/lookup-self" {
  capabilities = ["read"]
}
path "auth/token/revoke-self" {
  capabilities = ["update"]
}
