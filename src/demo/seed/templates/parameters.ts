import type { ParameterSchema } from '../../../lib/domain/scaffold/parameters/schema.ts'

/** Parameters that several templates have. */
export const parameters = {
  port: {
    type: 'integer',
    title: 'Port',
    description:
      'The port that the service listens on; ports below 1024 need a right that it does not have',
    default: 8080,
    minimum: 1024,
    maximum: 65_535,
  },
  databaseSize: {
    type: 'string',
    title: 'Size of the database',
    description: 'Size of the PostgreSQL database, if the project has one',
    enum: ['small', 'medium', 'large'],
    default: 'small',
  },
  public: {
    type: 'boolean',
    title: 'Public',
    description: 'Reachable from the internet, and not only from the network of the company',
    default: false,
  },
  ciOwners: {
    type: 'string',
    title: 'Owners of the workflows',
    description: 'Team that reviews changes of the workflows',
    default: '@acme/platform-team',
    examples: ['@acme/payments'],
    pattern: '^@[0-9a-z-]+/[0-9a-z-]+$',
  },
} satisfies Record<string, ParameterSchema>
