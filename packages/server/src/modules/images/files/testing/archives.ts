import { gzipSync } from 'node:zlib'
import { architectureOf, blobName, type Descriptor, sha256 } from '../layout.ts'
import { blockBytes, paddingOf, tarHeader } from '../tar-entry.ts'

/** An entry of a tar archive, which may be one that no honest program writes. */
export interface RawEntry {
  readonly name: string | Buffer
  /** `0` is a file, `1` a hard link, `2` a symbolic link, `3` and `4` are devices, `5` is a folder, `6` a pipe. */
  readonly type?: string
  readonly content?: string | Buffer
  readonly link?: string
  readonly mode?: number
  /** What the header says, whatever the content has. */
  readonly size?: number
  readonly pax?: Readonly<Record<string, string | Buffer>>
}

const endOfArchive = Buffer.alloc(2 * blockBytes)

/** The bytes of an entry. A name that is too long for the header is in a pax record. */
export function rawEntry(entry: RawEntry): Buffer {
  const { type = '0', link = '', mode = type === '5' ? 0o755 : 0o644 } = entry
  const name = Buffer.from(entry.name)
  const content = Buffer.from(entry.content ?? '')
  const pax = name.length > 99 ? { path: name, ...entry.pax } : entry.pax
  const header = Buffer.from(tarHeader('', entry.size ?? content.length))
  name.copy(header, 0, 0, 99)
  header.write(`${mode.toString(8).padStart(7, '0')}\0`, 100, 'ascii')
  header.write(type, 156, 'ascii')
  header.write(link, 157, 99, 'utf8')
  sign(header)
  const extra = pax ? rawEntry({ name: 'pax', type: 'x', content: paxOf(pax) }) : Buffer.alloc(0)
  return Buffer.concat([extra, header, content, Buffer.alloc(paddingOf(content.length))])
}

function sign(header: Buffer): void {
  header.write(' '.repeat(8), 148, 'ascii')
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'ascii')
}

function paxOf(records: Readonly<Record<string, string | Buffer>>): Buffer {
  return Buffer.concat(
    Object.entries(records).map(([key, value]) => {
      const rest = Buffer.concat([Buffer.from(` ${key}=`), Buffer.from(value), Buffer.from('\n')])
      let length = rest.length + 1
      while (String(length).length + rest.length > length) length++
      return Buffer.concat([Buffer.from(String(length)), rest])
    }),
  )
}

/** A layer: a compressed archive of these entries. Without its end, another layer can follow. */
export function layerOf(entries: readonly RawEntry[], { isWhole = true } = {}): Buffer {
  const parts = entries.map(rawEntry)
  return gzipSync(Buffer.concat(isWhole ? [...parts, endOfArchive] : parts), { level: 1 })
}

/** A part of an image file. */
export interface Part {
  readonly name: string
  readonly content: Buffer
}

export const archiveOf = (parts: readonly Part[]): Buffer =>
  Buffer.concat([...parts.map(rawEntry), endOfArchive])

export const blobOf = (content: Buffer): Part => ({ name: blobName(sha256(content)), content })

export function descriptorOf(content: Buffer, mediaType = 'application/octet-stream'): Descriptor {
  return { mediaType, digest: `sha256:${sha256(content)}`, size: content.length }
}

export const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))

/** What differs from an honest file. Each may be an object that is merged into the honest one, or the bytes themselves. */
export interface Differences {
  readonly config?: object | Buffer
  readonly layer?: object
  readonly manifest?: object | Buffer
  readonly index?: object | Buffer
  /** What differs in the reference of the index to the manifest. */
  readonly reference?: object
  readonly more?: readonly Part[]
  readonly without?: readonly string[]
}

const layerType = 'application/vnd.oci.image.layer.v1.tar+gzip'

/** The file of an image for the shape `small` of this host. */
export function imageFileWith(layer: Buffer, differences: Differences = {}): Buffer {
  const { more = [], without = [] } = differences
  const architecture = architectureOf({ architecture: process.arch === 'arm64' ? 'aarch64' : 'x86_64' })
  const config = documentOf({ architecture, os: 'linux', config: {} }, differences.config)
  const layers = [{ ...descriptorOf(layer, layerType), ...differences.layer }]
  const manifest = documentOf(
    {
      schemaVersion: 2,
      config: descriptorOf(config),
      layers,
      annotations: { 'dev.sandglass.shape': 'small' },
    },
    differences.manifest,
  )
  const manifests = [{ ...descriptorOf(manifest), ...differences.reference }]
  const index = documentOf({ schemaVersion: 2, manifests }, differences.index)
  const parts: Part[] = [
    { name: 'oci-layout', content: json({ imageLayoutVersion: '1.0.0' }) },
    { name: 'index.json', content: index },
    ...[manifest, config, layer].map(blobOf),
  ]
  return archiveOf([...parts.filter(({ name }) => !without.includes(name)), ...more])
}

const documentOf = (honest: object, difference: object | Buffer = {}): Buffer =>
  Buffer.isBuffer(difference) ? difference : json({ ...honest, ...difference })
