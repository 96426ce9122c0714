import { blobName, sha256 } from '../layout.ts'
import {
  archiveOf,
  blobOf,
  type Differences,
  descriptorOf,
  imageFileWith,
  json,
  layerOf,
  rawEntry,
} from './archives.ts'

const MiB = 1024 * 1024
const layer = layerOf([{ name: 'srv/note', content: 'note' }])
const honest = imageFileWith(layer)
const absent = `sha256:${'0'.repeat(64)}`

/** A file that must be refused before any machine is started for it, and what the refusal says. */
export interface HostileFile {
  readonly file: Buffer
  readonly says: RegExp
}

const refused = (says: RegExp, differences: Differences): HostileFile => ({
  file: imageFileWith(layer, differences),
  says,
})

/** The honest file, with an entry before everything else. */
const after = (entry: Parameters<typeof rawEntry>[0], says: RegExp, rest = honest): HostileFile => ({
  file: Buffer.concat([rawEntry(entry), rest]),
  says,
})

const variables = (count: number) => Array.from({ length: count }, (_, number) => `V${number}=x`)
const numbered = (count: number, size: number) =>
  Array.from({ length: count }, (_, number) => ({ name: `part-${number}`, content: Buffer.alloc(size) }))

/** What the reader of the file itself must survive. */
const damaged: Record<string, HostileFile> = {
  'nothing but zeros': { file: Buffer.alloc(64 * 1024), says: /oci-layout is missing/ },
  'a file that was cut off': { file: honest.subarray(0, honest.length - 1500), says: /ends too early/ },
  'a header that was changed': after({ name: 'x' }, /header is damaged/, Buffer.alloc(600, 'x')),
  'a part that claims to have a petabyte': after({ name: 'x', size: 2 ** 50 }, /too large/),
  'a part that claims so in a pax header': after(
    { name: 'x', pax: { size: '999999999999999' } },
    /too large/,
  ),
  'a size that is no number': after({ name: 'x', pax: { size: '-1' } }, /size is damaged/),
  'a pax header without an end': after(
    { name: 'x', type: 'x', content: '99999999 path=x\n' },
    /pax header is damaged/,
  ),
  'a name of a megabyte': after({ name: Buffer.alloc(MiB, 'n') }, /header is too large/),
  'two parts with one name': refused(/two parts with the same name/, { more: [blobOf(layer)] }),
  'very many folders': {
    file: Buffer.concat(Array.from({ length: 2000 }, () => rawEntry({ name: 'folder', type: '5' }))),
    says: /too many entries/,
  },
  'very many parts': refused(/too many parts/, { more: numbered(100, 10) }),
}

/** What the documents can say. */
const lying: Record<string, HostileFile> = {
  'no index': refused(/index\.json is missing/, { without: ['index.json'] }),
  'no layer': refused(/layer is missing/, { without: [blobName(sha256(layer))] }),
  'a layer of another size': refused(/layer is damaged/, { layer: { size: layer.length + 1 } }),
  'a layer with another digest': refused(/layer is missing/, { layer: { digest: absent } }),
  'a layer whose name is the digest of something else': refused(/layer is damaged/, {
    layer: { digest: absent },
    more: [{ name: blobName('0'.repeat(64)), content: layer }],
  }),
  'a digest that is a path': refused(/no image that this service understands/, {
    layer: { digest: `sha256:../../../../${'0'.repeat(52)}` },
  }),
  'a manifest of another size': refused(/is damaged/, { reference: { size: 1 } }),
  'a manifest that is not there': refused(/is missing/, { reference: { digest: absent } }),
  'an index that leads to an index': nested(),
  'a manifest that is its own configuration': refused(/no image that this service understands/, {
    config: json({ schemaVersion: 2 }),
  }),
  'a manifest of two megabytes': refused(/too large/, { manifest: { padding: 'x'.repeat(2 * MiB) } }),
  'an index of two megabytes': refused(/too large/, { index: { padding: 'x'.repeat(2 * MiB) } }),
  'a manifest that is nested very deeply': refused(/./, { manifest: Buffer.from('['.repeat(MiB - 1)) }),
  'two layers': refused(/no image that this service understands/, {
    manifest: { layers: [descriptorOf(layer), descriptorOf(layer)] },
  }),
  'a layer that is compressed in another way': refused(/no image that this service understands/, {
    layer: { mediaType: 'application/vnd.oci.image.layer.v1.tar+zstd' },
  }),
  'another architecture': refused(/The image is for riscv64/, {
    config: { architecture: 'riscv64' },
  }),
  'too many variables': refused(/variables cannot be used/, { config: { config: { Env: variables(101) } } }),
  'very many variables': refused(/no image/, { config: { config: { Env: variables(50_000) } } }),
  'a variable with an impossible name': refused(/variables cannot be used/, {
    config: { config: { Env: ['A B=x'] } },
  }),
}

/** Entries that are no parts. The service reads no entry by its name, so none of them can lead anywhere. */
const misleading: Record<string, HostileFile> = Object.fromEntries(
  [
    { name: '../../escaped', content: 'x' },
    { name: '/etc/escaped', content: 'x' },
    { name: 'blobs', type: '2', link: '/etc' },
    { name: 'index.json', type: '1', link: '/etc/passwd' },
    { name: 'device', type: '3' },
    { name: 'pipe', type: '6' },
  ].map(entry => [
    `an entry ${entry.name} of type ${entry.type ?? '0'} and no index`,
    after(entry, /index\.json is missing/, imageFileWith(layer, { without: ['index.json'] })),
  ]),
)

function nested(): HostileFile {
  const inner = json({ schemaVersion: 2, manifests: [descriptorOf(json({}))] })
  const index = json({ schemaVersion: 2, manifests: [descriptorOf(inner)] })
  const file = archiveOf([
    { name: 'oci-layout', content: json({ imageLayoutVersion: '1.0.0' }) },
    { name: 'index.json', content: index },
    blobOf(inner),
  ])
  return { file, says: /no image that this service understands/ }
}

export const hostileFiles: Record<string, HostileFile> = { ...damaged, ...lying, ...misleading }
