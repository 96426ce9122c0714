import { type BuildStep, packagesOf as packagesOfBuildStep } from '@sandglass/protocol'

/** A program of a step that does not run as root with `sh -c`. */
export interface StepCommand {
  readonly executable: string
  readonly args: readonly string[]
  /** The default user of the machine if it is undefined. */
  readonly user?: string | undefined
  readonly workingDirectory?: string | undefined
  readonly env?: Readonly<Record<string, string>>
}

/** Where a step finds the archive that it unpacks. */
export const archivePath = '/var/lib/sandglass-build-archive'

/** An archive that was uploaded before the build, and the script of root that unpacks it from {@link archivePath}. */
export interface StepArchive {
  /** How its uploader names it. */
  readonly hash: string
  readonly script: string
}

/** A step as a build carries it out. Doors have some that our own operation does not offer. */
export type WorkStep = BuildStep | { readonly command: StepCommand } | { readonly archive: StepArchive }

/** The packages that a step installs, if it installs some. */
export function packagesOf(step: WorkStep): readonly string[] | undefined {
  return 'command' in step || 'archive' in step ? undefined : packagesOfBuildStep(step)
}
