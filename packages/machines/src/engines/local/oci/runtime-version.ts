/** The version of a runtime, and the known container escapes that affect it. */
export interface RuntimeVersion {
  readonly name: string
  readonly version: string
  readonly escapes: readonly KnownEscape[]
}

export interface KnownEscape {
  readonly ids: string
  readonly what: string
  /** Whether a user namespace in which the host's root is not mapped, as every machine has, prevents the escape. */
  readonly blockedByUserNamespace: boolean
}

type Version = readonly [number, number, number]

const leakedDescriptor: KnownEscape = {
  ids: 'CVE-2024-21626',
  what: 'a leaked file descriptor gives access to host files',
  blockedByUserNamespace: false,
}
const maskedPaths: KnownEscape = {
  ids: 'CVE-2025-31133, CVE-2025-52565, CVE-2025-52881',
  what: 'races on masked paths and /proc writes',
  blockedByUserNamespace: true,
}

const atLeast = (version: Version, min: Version) => {
  const i = version.findIndex((part, at) => part !== min[at])
  return i < 0 || (version[i] ?? 0) > (min[i] ?? 0)
}

/** Fixed in 1.2.8, 1.3.3 and 1.4.0. */
function hasMaskedPathRaces(version: Version): boolean {
  const [major, minor] = version
  if (major !== 1) return major < 1
  if (minor === 2) return !atLeast(version, [1, 2, 8])
  if (minor === 3) return !atLeast(version, [1, 3, 3])
  return minor < 2
}

/** Debian fixes old versions without changing their version number; the commit line contains the Debian revision. */
function isFixedByDebian(text: string): boolean {
  const revision = /^commit: 1\.1\.5\+ds1-1\+deb12u(\d+)/m.exec(text)?.[1]
  return revision !== undefined && Number(revision) >= 1
}

export function parseRuntimeVersion(text: string): RuntimeVersion | undefined {
  const [, name, major, minor, patch] =
    /^(runc|runsc|crun) version (?:release-|0\.0~)?v?(\d+)(?:\.(\d+)(?:\.(\d+))?)?/m.exec(text) ?? []
  if (!name) return undefined
  const version: Version = [Number(major), Number(minor ?? 0), Number(patch ?? 0)]
  const escapes: KnownEscape[] = []
  if (name === 'runc') {
    if (!atLeast(version, [1, 1, 12]) && !isFixedByDebian(text)) escapes.push(leakedDescriptor)
    if (hasMaskedPathRaces(version)) escapes.push(maskedPaths)
  }
  return { name, version: version.join('.'), escapes }
}
