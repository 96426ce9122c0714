import type { PackageSource } from '@sandglass/machines/contract'
import type { RunningMachine } from '@sandglass/workers/contract'

/** The state of an installation, as callers see it. */
export interface Progress {
  readonly step: 'resolving' | 'fetching' | 'copying' | 'installing'
  readonly [more: string]: unknown
}

export interface Installation {
  /** Names the folder in the machine that the packages are copied to. */
  readonly id: string
  readonly machine: RunningMachine
  readonly source: PackageSource
  readonly packages: readonly string[]
  readonly signal: AbortSignal
  readonly onProgress: (progress: Progress) => void
}

/** The machine could not install the packages. The message is for the caller, such as what its package tool said last. */
export class InstallError extends Error {
  override readonly name = 'InstallError'
}
