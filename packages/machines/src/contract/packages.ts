import type { Readable } from 'node:stream'

/** A package of the machine's distribution, at hand on this host. */
export interface PackageFile {
  readonly name: string
  readonly version: string
  /** As package tools name such a file. */
  readonly fileName: string
  readonly size: number
  content(): Readable
}

export interface PackageRequest {
  /** Names as the distribution knows them. */
  readonly packages: readonly string[]
  /** What the machine says it has: its /var/lib/dpkg/status. Nobody vouches for it. */
  readonly installed: Uint8Array
  readonly signal?: AbortSignal
  /** How many of those that have to be fetched are there. */
  readonly onProgress?: (fetched: number, total: number) => void
}

/** Packages cannot be had; the message says why, in words for whoever asked. */
export class PackagesError extends Error {
  override readonly name = 'PackagesError'
}

/** Fetches packages for machines that may reach nothing themselves. */
export interface PackageSource {
  /** Everything that an installation of these takes, besides what the machine has. */
  fetch(request: PackageRequest): Promise<readonly PackageFile[]>
}
