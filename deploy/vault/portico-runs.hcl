# Rights of Portico's own login with VAULT_AUTH=user, in place of portico.hcl: what persons ask for is done with their rights.
# Portico itself finishes new projects that a person has begun: it makes the empty entry of the first environment, here `dev`.

# `data` must be empty: the login writes no value.
path "secret/data/+/+/dev/env" {
  capabilities = ["create"]
  allowed_parameters = {
    "options" = []
    "data" = [{}]
  }
}

path "secret/subkeys/+/+/dev/env" {
  capabilities = ["read"]
}

path "secret/metadata/+/+/dev/env" {
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
