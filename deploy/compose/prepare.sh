#!/bin/sh
# Makes the keys, passwords and certificates of deploy/compose.yaml, once: what is there stays. Needs openssl.
set -eu
umask 077
cd "$(dirname "$0")"
mkdir -p secrets authorities
chmod 755 authorities
cd secrets

# Containers read the files as other users than yours. Nobody else gets through the folder.
keep() { # FILE TEXT
  [ -s "$1" ] || printf %s "$2" >"$1"
  chmod 444 "$1"
}

keep session-keys "k1:$(openssl rand -base64 32)"
keep secret-digest-keys "d1:$(openssl rand -base64 32)"
keep webhook-token "$(openssl rand -hex 24)"
keep postgres-password "$(openssl rand -hex 24)"
keep database-url "postgres://portico:$(cat postgres-password)@localhost/portico?host=/run/postgresql"
keep vault-secret-id "$(openssl rand -hex 24)"
keep openbao-admin-password "$(openssl rand -hex 24)"
[ -s openbao-seal-key ] || openssl rand -out openbao-seal-key 32

if [ ! -s openbao.pem ]; then
  curve='-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes'
  # shellcheck disable=SC2086 # several words
  openssl req -x509 $curve -days 3650 -subj '/CN=OpenBao of Portico' -keyout authority.key -out openbao-ca.pem 2>/dev/null
  # shellcheck disable=SC2086
  openssl req $curve -subj /CN=openbao -keyout openbao-key.pem -out openbao.csr 2>/dev/null
  echo 'subjectAltName=DNS:openbao,DNS:localhost,IP:127.0.0.1' >openbao.ext
  openssl x509 -req -in openbao.csr -CA openbao-ca.pem -CAkey authority.key -CAcreateserial -days 3650 \
    -extfile openbao.ext -out openbao.pem 2>/dev/null
  # Nobody can sign for this authority again.
  rm -f authority.key openbao.csr openbao.ext openbao-ca.srl
fi

# From your identity provider and your git host; put them in before the first start.
touch oidc-client-secret git-token
chmod 444 ./*
chmod 644 oidc-client-secret git-token

cd ..
[ -e portico.env ] || cp portico.env.example portico.env
echo "Now fill in $(pwd)/portico.env, secrets/oidc-client-secret and secrets/git-token."
