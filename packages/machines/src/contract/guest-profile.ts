import type { DrivenBrowser } from './driven-browser.ts'

/**
 * A program and its arguments, as `Machine.exec` takes them. There is no shell in between, so arguments need no quoting
 * and a caller's text cannot become a command.
 */
export interface CommandLine {
  readonly executable: string
  readonly args: readonly string[]
}

/** The operating system inside a machine, as far as callers have to distinguish it. */
export type GuestOs = 'linux' | 'android' | 'windows'

/** How commands are run in a guest. */
export interface GuestShell {
  /** The name under which people know the shell, such as `bash`. */
  readonly name: string
  /** Runs a command as a new terminal would: with the user's own PATH and profile, which the user can change. */
  login(command: string): CommandLine
  /** Runs a script without any profile, so that it behaves the same whatever the user has configured. */
  script(script: string): CommandLine
  /** A shell that reads commands from a terminal until its input ends. */
  readonly interactive: CommandLine
}

/** How paths are written in a guest. The service's own path functions must not be used for them. */
export interface PathStyle {
  readonly separator: '/' | '\\'
  /** Whether the path is complete. Other paths are relative to the user's home. */
  isAbsolute(path: string): boolean
  join(folder: string, name: string): string
  /** Whether a file of this name stays in the folder that it is joined to. False for `..` and for whole paths. */
  isFileName(name: string): boolean
}

/** How an installation is run and understood, whichever tool it is. */
interface InstallTool {
  /** The name under which people know the tool, such as `apt`. */
  readonly name: string
  /** The environment that keeps it from asking questions. */
  readonly env: Readonly<Record<string, string>>
  /** Progress in percent, from the end of what it printed so far; undefined where it does not report any. */
  progressOf(stdout: string): number | undefined
  /** The line that explains a failure, from the end of what it printed to both outputs. */
  complaintOf(stdout: string, stderr: string): string | undefined
}

/** A tool that installs package files. The host fetches them, so the machine needs no network. */
export interface FileInstallTool extends InstallTool {
  readonly installs: 'files'
  /** A folder for the package files, which only the administrator can write. Callers remove what they put there. */
  readonly folder: string
  /** The file that lists what is installed; a `PackageSource` understands its format. */
  readonly installedList: string
  install(paths: readonly string[]): CommandLine
}

/** A tool that fetches packages by itself. The machine needs a network for that. */
export interface NameInstallTool extends InstallTool {
  readonly installs: 'names'
  install(names: readonly string[]): CommandLine
}

/** How packages are installed in a guest; `installs` says what to hand to the tool. */
export type PackageTool = FileInstallTool | NameInstallTool

/**
 * Programs that turn all files of a guest into an archive and back. The administrator runs them.
 *
 * `write` prints a tar archive of the root file system that is compressed with gzip, without what lives only as long as the
 * machine runs. The last line of its error output is JSON with the SHA-256 of the uncompressed archive, such as
 * `{"sha256": "9f86…"}`.
 *
 * `read` makes the root file system equal to such an archive, which it reads from its input, and changes only what differs. If it
 * fails, the last line of its error output says why, and is `NO_SPACE` if the disk of the machine is full.
 */
export interface RootArchive {
  readonly write: CommandLine
  readonly read: CommandLine
}

/** The exit code of `GuestProfile.openUrl` and of `DrivenBrowser.start` in a guest that has no browser. */
export const noBrowserExitCode = 127

/**
 * Everything that callers have to know about the system inside a machine: its shell, paths, browser and package tool. The
 * control plane and the conformance suite ask the profile and name none of these themselves, so that a machine with
 * another system needs a new profile and no change to its callers.
 *
 * @example
 * ```ts
 * const process = await machine.exec({ ...machine.guest.shell.login('make test'), whole: true })
 * ```
 */
export interface GuestProfile {
  readonly os: GuestOs
  /** Set if there is no agent of ours in the guest, so that programs and files are those of QEMU's, if it answers. */
  readonly isConsole?: boolean
  /** The user as whom programs run and files are written unless a call names another. */
  readonly user: string
  /** The user's home folder. Relative paths start here. */
  readonly home: string
  /** The user who may change the system, such as `root`; undefined where the engine cannot act as that user. */
  readonly administrator: string | undefined
  readonly paths: PathStyle
  readonly shell: GuestShell
  /** Prints the command line of every process, with arguments separated by spaces. */
  readonly listProcesses: CommandLine
  /**
   * Opens an http or https URL in the guest's browser, and exits while the browser goes on. Exits with
   * {@link noBrowserExitCode} if there is no browser.
   */
  openUrl(url: string): CommandLine
  /** Left out where programs cannot drive a browser. */
  readonly browser?: DrivenBrowser
  /** Undefined where callers cannot install packages. */
  readonly packages: PackageTool | undefined
  /** Left out where the files of the guest cannot be archived as a whole. */
  readonly archive?: RootArchive
}
