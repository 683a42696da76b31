/**
 * The rules of fields. The words on the left are part of the contract: `errors[].rule`. Nobody is shown a pattern; the
 * texts on the right say what it means, with an example.
 */
export const TEXT_RULES = {
  name: 'lower-case letters, digits and dashes, such as payments-api',
  entity_name: 'letters, digits and dashes, such as payments-api',
  entity_kind: 'letters and digits, beginning with a letter, such as Component',
  entity_ref: 'a kind and a name, such as component/payments-api',
  action: 'an action of the audit trail, such as promotion.confirm or promotion',
  object_name: 'lower-case letters, digits, dashes and dots, such as payments-api-5d4f8',
  run_id: 'the id of a run, such as 01936b2e-7b1a-7c55-8d0e-5a3f0f6f2a11',
  sha256: '64 hexadecimal digits, as in the id of a session',
  secret_path: 'a path of four parts, such as payments/payments-api/dev/env',
  repository_name: 'letters, digits, dashes, dots and underscores, such as payments-api',
  commit: 'the full id of a commit, such as 9f2c1e0d1f1b2a3948576acbd0e1f2a3b4c5d6e7',
  branch_name: 'the name of a branch, such as promote/payments/payments-api/dev',
  path: 'a path inside the repository, such as catalog/payments/team.yaml',
  platform: 'letters, digits, dashes and underscores, such as linux or amd64',
  version: 'a semantic version, such as 1.4.0',
  one_line: 'one line of text, without control characters or marks that change its direction',
  host_name: 'a DNS name, such as shop.example.org',
  image_digest:
    'sha256: and 64 hexadecimal digits, such as sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  image_tag: 'letters, digits, dots, dashes and underscores, such as 1.5.0-rc.3',
  secret_key: 'letters, digits and underscores, such as STRIPE_KEY',
  idempotency_key: 'up to 255 visible ASCII characters, such as a UUID',
  number: 'a number, such as 42',
  topic: 'a topic, such as catalog, promotion:component/payments-api or pods:dev-east/payments-dev',
  cursor: 'a cursor from the Link header of this list',
} as const

export type TextRule = keyof typeof TEXT_RULES

/** Rules of JSON Schema, and those that no schema can express. */
export const OTHER_RULES = [
  'required',
  'type',
  'one_of',
  'minimum',
  'maximum',
  'min_length',
  'max_length',
  'max_items',
  'max_keys',
  'max_bytes',
  'date',
  'quantity',
  'label_selector',
  'unicode',
  'reserved',
  'taken',
  'max_length_together',
  'supported',
  'unknown',
  'misplaced',
  'multiple_of',
  'pattern',
  'one_value',
  'code_text',
  'file_name',
  'at_most_limit',
  'nothing_runs',
  'conflict',
  'duplicate',
  'invalid',
] as const

export type Rule = TextRule | (typeof OTHER_RULES)[number]
