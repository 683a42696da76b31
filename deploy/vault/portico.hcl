# Rights of Portico's own login. Portico writes keys and values and reads the names of keys, never a value.
# For another VAULT_MOUNT replace `secret`; VAULT_PREFIX stands before the three `+`: `secret/data/apps/+/+/+/env`.

# Makes entries and adds keys to them, compared with the version that was looked at.
path "secret/data/+/+/+/env" {
  capabilities = ["create", "patch"]
  # With `update`, entries that somebody has deleted can be made anew. It also allows replacing all keys of an entry.
  # capabilities = ["create", "patch", "update"]
}

# Names of the keys, version and labels.
path "secret/subkeys/+/+/+/env" {
  capabilities = ["read"]
}

# Labels: managed-by, team, app, environment, run. No other setting of an entry.
path "secret/metadata/+/+/+/env" {
  capabilities = ["patch"]
  allowed_parameters = {
    "custom_metadata" = []
  }
}

# The connection check names missing rights, and a run looks before it starts.
path "sys/capabilities-self" {
  capabilities = ["update"]
}

# The login: whether it still holds, and giving it back at the stop.
path "auth/token/lookup-self" {
  capabilities = ["read"]
}
path "auth/token/revoke-self" {
  capabilities = ["update"]
}
