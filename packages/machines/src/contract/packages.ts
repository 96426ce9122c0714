import type { Readable } from 'node:stream'

/** A package file for the machine's distribution that is stored on this host and was verified. */
export interface PackageFile {
  readonly name: string
  readonly version: string
  /** The file name by which package tools recognize it. */
  readonly fileName: string
  readonly size: number
  content(): Readable
}

/** What is to be installed, and on top of what. */
export interface PackageRequest {
  /** Package names of the distribution. */
  readonly packages: readonly string[]
  /** The content of the guest's `installedList`. It comes from the machine, so it may be forged or malformed. */
  readonly installed: Uint8Array
  readonly signal?: AbortSignal
  /** Called with the number of packages that were fetched so far, and the number that have to be. */
  readonly onProgress?: (fetched: number, total: number) => void
}

/** The packages cannot be provided. The message says why and is shown to the caller. */
export class PackagesError extends Error {
  override readonly name = 'PackagesError'
}

/** Fetches packages on the host, for machines that may have no network. */
export interface PackageSource {
  /** Fetches the packages and everything that they depend on, except for what the machine already has. */
  fetch(request: PackageRequest): Promise<readonly PackageFile[]>
}
