{{/* Settings that the manifests rely on. They are in the order of their names, as YAML. */}}
{{- define "portico.settings" -}}
{{- $own := dict "PORT" "8080" "METRICS_PORT" "9090" "DATA_DIR" "/data" }}
{{- range list "session-keys" "secret-store-keys" "webhook-token" }}
{{- $_ := set $own (printf "%s_FILE" (. | upper | replace "-" "_")) (printf "/etc/portico/secrets/%s" .) }}
{{- end }}
{{- if eq .Values.database "postgres" }}
{{- $_ := set $own "DATABASE_URL_FILE" "/etc/portico/secrets/database-url" }}
{{- end }}
{{- if .Values.vault }}
{{- $_ := set $own "SECRET_STORE" "vault" }}
{{- $_ := set $own "VAULT_AUTH" "kubernetes" }}
{{- $_ := set $own "VAULT_ROLE" "portico" }}
{{- $_ := set $own "VAULT_JWT_FILE" "/var/run/secrets/vault/token" }}
{{- end }}
{{- toYaml (merge (deepCopy .Values.config) $own) }}
{{- end }}
