import { createHash } from 'node:crypto'
import { z } from 'zod'

/** The documents of an OCI image layout that has one image with one layer. */

const manifestType = 'application/vnd.oci.image.manifest.v1+json'
const configType = 'application/vnd.oci.image.config.v1+json'
const layerType = 'application/vnd.oci.image.layer.v1.tar+gzip'

/** The names of our annotations. */
const shapeKey = 'dev.sandglass.shape'
const titleKey = 'org.opencontainers.image.title'
const descriptionKey = 'org.opencontainers.image.description'

const Digest = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'must be a SHA-256 digest')
const Descriptor = z.object({
  mediaType: z.string(),
  digest: Digest,
  size: z.int().min(0),
  annotations: z.record(z.string(), z.string()).optional(),
})
export type Descriptor = z.infer<typeof Descriptor>

export const Layout = z.object({ imageLayoutVersion: z.literal('1.0.0') })
export const Index = z.object({ schemaVersion: z.literal(2), manifests: z.array(Descriptor).length(1) })
export const Manifest = z.object({
  schemaVersion: z.literal(2),
  config: Descriptor,
  layers: z.array(Descriptor.extend({ mediaType: z.literal(layerType) })).length(1, 'must be one layer'),
  annotations: z.record(z.string(), z.string()).optional(),
})
export const Config = z.object({
  architecture: z.string().max(20),
  os: z.literal('linux'),
  config: z.object({ Env: z.array(z.string()).max(1000).optional() }).optional(),
})

/** What a file says about its image, besides its files. */
export interface ImageAbout {
  readonly name: string
  readonly description: string | null
  readonly shapeName: string
  readonly env: Readonly<Record<string, string>>
  readonly architecture: string
  readonly createdAt: string
}

/** A layer: its compressed archive, and the hash of the archive before that. */
export interface Layer {
  readonly size: number
  readonly sha256: string
  readonly diffSha256: string
}

export interface LayoutFile {
  readonly name: string
  readonly content: Buffer
}

/** Returns the files of a layout, except for the layer. */
export function layoutOf(about: ImageAbout, layer: Layer): readonly LayoutFile[] {
  const { name, description, shapeName, env, createdAt } = about
  const config = json({
    created: createdAt,
    architecture: architectureOf(about),
    os: 'linux',
    config: { Env: Object.entries(env).map(([key, value]) => `${key}=${value}`) },
    rootfs: { type: 'layers', diff_ids: [`sha256:${layer.diffSha256}`] },
    history: [{ created: createdAt, created_by: 'sandglass' }],
  })
  const annotations = {
    [titleKey]: name,
    ...(description !== null && { [descriptionKey]: description }),
    [shapeKey]: shapeName,
  }
  const manifest = json({
    schemaVersion: 2,
    mediaType: manifestType,
    config: descriptorOf(configType, config),
    layers: [{ mediaType: layerType, digest: `sha256:${layer.sha256}`, size: layer.size }],
    annotations,
  })
  const index = json({
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.index.v1+json',
    manifests: [descriptorOf(manifestType, manifest)],
  })
  return [
    { name: 'oci-layout', content: json({ imageLayoutVersion: '1.0.0' }) },
    { name: 'index.json', content: index },
    { name: blobName(sha256(manifest)), content: manifest },
    { name: blobName(sha256(config)), content: config },
  ]
}

/** The name that OCI has for the architecture of a shape. */
export const architectureOf = ({ architecture }: { readonly architecture: string }): string =>
  architecture === 'aarch64' ? 'arm64' : 'amd64'

export const blobName = (hash: string): string => `blobs/sha256/${hash}`

/** What is kept of a file: our annotations, and the variables of the configuration. */
export function aboutOf(
  { annotations = {} }: z.infer<typeof Manifest>,
  { config }: z.infer<typeof Config>,
): {
  readonly shapeName?: string | undefined
  readonly description?: string | undefined
  readonly env: Record<string, string>
} {
  const pairs = (config?.Env ?? []).map(text => [
    text.split('=', 1)[0] ?? '',
    text.slice(text.indexOf('=') + 1),
  ])
  return {
    shapeName: annotations[shapeKey],
    description: annotations[descriptionKey],
    env: Object.fromEntries(pairs),
  }
}

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))

export const sha256 = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex')

function descriptorOf(mediaType: string, content: Buffer): Descriptor {
  return { mediaType, digest: `sha256:${sha256(content)}`, size: content.length }
}
