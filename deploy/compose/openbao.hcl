# OpenBao of deploy/compose.yaml. The first start sets up what is under `initialize`; later starts do not repeat it.

storage "raft" {
  path    = "/openbao/file"
  node_id = "openbao"
  # Short timeouts, for one server: a start is ready sooner.
  performance_multiplier = 1
}

listener "tcp" {
  address       = "0.0.0.0:8200"
  tls_cert_file = "/run/secrets/openbao.pem"
  tls_key_file  = "/run/secrets/openbao-key.pem"
}

api_addr     = "https://openbao:8200"
cluster_addr = "https://openbao:8201"

# Whoever has this key and the volume has every secret: keep a copy of the key where your other keys are.
seal "static" {
  current_key_id = "1"
  current_key    = "file:///run/secrets/openbao-seal-key"
}

initialize "portico" {
  request "entries" {
    operation = "update"
    path      = "sys/mounts/secret"
    data = {
      type    = "kv"
      options = { version = "2" }
    }
  }

  request "policy" {
    operation = "update"
    path      = "sys/policies/acl/portico"
    data = {
      policy = {
        eval_type   = "string"
        eval_source = "file"
        path        = "/openbao/policy/portico.hcl"
      }
    }
  }

  request "logins-of-machines" {
    operation = "update"
    path      = "sys/auth/approle"
    data      = { type = "approle" }
  }

  request "login-of-portico" {
    operation = "update"
    path      = "auth/approle/role/portico"
    data = {
      role_id                 = "portico"
      token_policies          = "portico"
      token_no_default_policy = true
      token_ttl               = "1h"
      token_max_ttl           = "24h"
      secret_id_num_uses      = 0
    }
  }

  request "secret-of-portico" {
    operation = "update"
    path      = "auth/approle/role/portico/custom-secret-id"
    data = {
      secret_id = {
        eval_type   = "string"
        eval_source = "file"
        path        = "/run/secrets/vault-secret-id"
      }
    }
  }

  # The root token of the start is gone when the server is ready: this is the operator's way in.
  request "policy-of-operators" {
    operation = "update"
    path      = "sys/policies/acl/operator"
    data = {
      policy = "path \"*\" { capabilities = [\"create\", \"read\", \"update\", \"patch\", \"delete\", \"list\", \"sudo\"] }"
    }
  }

  request "logins-of-people" {
    operation = "update"
    path      = "sys/auth/userpass"
    data      = { type = "userpass" }
  }

  request "operator" {
    operation = "update"
    path      = "auth/userpass/users/operator"
    data = {
      token_policies = "operator"
      password = {
        eval_type   = "string"
        eval_source = "file"
        path        = "/run/secrets/openbao-admin-password"
      }
    }
  }
}
