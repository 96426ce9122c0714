import { contentsOf, type Manifest } from './manifest.ts'

const MiB = 1024 * 1024

/** A line about a backup for people. */
export function describeBackup(manifest: Manifest): string {
  const { id, at, version, kept } = manifest
  const disks = kept.filter(({ kind }) => kind === 'disk')
  const volumes = kept.filter(({ kind }) => kind === 'volume')
  const bytes = Array.from(contentsOf(manifest)).reduce((sum, content) => sum + content.bytes, 0)
  return [
    id,
    at,
    `version ${version}`,
    `${Math.ceil(bytes / MiB)} MiB`,
    ...(disks.length > 0 ? [`${disks.length} saved ${disks.length === 1 ? 'disk' : 'disks'}`] : []),
    ...(volumes.length > 0 ? [`${volumes.length} ${volumes.length === 1 ? 'volume' : 'volumes'}`] : []),
  ].join('  ')
}
