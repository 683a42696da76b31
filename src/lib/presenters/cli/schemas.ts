import { Type } from 'typebox'
import type { ListedAsset, ListedRelease } from '../../domain/cli/shelf.ts'
import { platforms } from '../../domain/cli/platform.ts'
import { Nullable } from '../../schema/nullable.ts'
import { markdownTree, MarkdownTree } from '../markdown-tree.ts'
import { timeBody } from '../time.ts'

const unique = (values: readonly string[]) => [...new Set(values)].map((one) => Type.Literal(one))

const Asset = Type.Object({
  os: Type.Union(unique(platforms.map(({ os }) => os))),
  arch: Type.Union(unique(platforms.map(({ arch }) => arch))),
  filename: Type.String(),
  sizeBytes: Type.Integer({ minimum: 0 }),
  sha256: Nullable(
    Type.String({
      pattern: '^[0-9a-f]{64}$',
      description:
        'SHA-256 as published with the release, or as computed when the file was fetched; `null` until one is known',
    }),
  ),
  url: Type.String({ description: 'Path of the download on this host' }),
})

export const CliRelease = Type.Object(
  {
    version: Type.String({ description: 'Semantic version' }),
    tag: Type.String(),
    name: Type.String(),
    latest: Type.Boolean({
      description: 'Whether this is the highest version that is not a pre-release',
    }),
    prerelease: Type.Boolean(),
    publishedAt: Nullable(Type.String({ format: 'date-time' })),
    notes: Type.String({ description: 'Release notes as written, usually Markdown' }),
    notesTree: Type.Optional(MarkdownTree),
    assets: Type.Array(Asset, {
      description: 'At most one file per platform; a platform with several candidates is left out',
    }),
  },
  { $id: 'CliRelease', additionalProperties: false },
)

export const exampleRelease = {
  version: '1.4.0',
  tag: 'portico-v1.4.0',
  name: 'Portico CLI 1.4.0',
  latest: true,
  prerelease: false,
  publishedAt: '2026-11-20T09:30:00.000Z',
  notes: '- `portico promote` shows the diff before it asks',
  assets: [
    {
      os: 'linux',
      arch: 'amd64',
      filename: 'portico-linux-amd64',
      sizeBytes: 12_582_912,
      sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      url: '/api/v1/cli/download/linux/amd64',
    },
  ],
}

/** With its notes as a tree too. */
export const drawnReleaseBody = (release: ListedRelease) => ({
  ...releaseBody(release),
  notesTree: markdownTree(release.notes),
})

export const releaseBody = (release: ListedRelease) => {
  const { version, tag, name, latest, prerelease, publishedAt, notes, assets } = release
  return {
    version,
    tag,
    name,
    latest,
    prerelease,
    publishedAt: timeBody(publishedAt),
    notes,
    assets: assets.map((asset) => assetBody(release, asset)),
  }
}

const assetBody = (
  { version, latest }: ListedRelease,
  { os, arch, filename, sizeBytes, sha256 }: ListedAsset,
) => ({
  os,
  arch,
  filename,
  sizeBytes,
  sha256,
  url: `/api/v1/cli/download/${os}/${arch}${latest ? '' : `?version=${encodeURIComponent(version)}`}`,
})
