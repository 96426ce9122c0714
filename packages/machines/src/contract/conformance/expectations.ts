import type { GuestProfile } from '../guest-profile.ts'
import { defaultScreen, type ScreenSize } from '../spec.ts'
import { posixPrograms } from './posix-programs.ts'
import type { TestPrograms } from './programs.ts'

/**
 * What the conformance suite expects where engines or guests may differ. Facts that callers need as well are not repeated
 * here: the suite takes them from the machine's `GuestProfile`.
 */
export interface Expectations {
  /** The programs that the suite runs, written for the guest's own system. */
  programs(guest: GuestProfile): TestPrograms
  /** Paths that are in every machine. */
  readonly landmarks: Landmarks
  /** Environment variables that every program gets. */
  environment(guest: GuestProfile): Readonly<Record<string, string>>
  readonly screen: ScreenSize
  /** Whether the outputs of programs are pipes, so that a program can open them once more by name. */
  readonly hasPipes: boolean
  /** Whether an executable text file without an interpreter line is run as a script; otherwise it is INVALID. */
  readonly runsTextAsScript: boolean
  /** Whether folders can be watched recursively. */
  readonly canWatchRecursively: boolean
  /** Whether text can be typed while no field has the focus; otherwise it is INVALID. */
  readonly takesTextAnywhere: boolean
  /** Whether the screen can be dialled as RFB. */
  readonly hasRfb: boolean
  /** The reason that is reported for a machine that was shut down from inside. */
  readonly shutDownReason: RegExp
  /** Whether a shutdown from inside is distinguished from a fault. */
  readonly reportsOrderlyShutdown: boolean
}

/** Paths that the suite can rely on in a guest. */
export interface Landmarks {
  /** A folder in which anybody can create files. */
  readonly temporary: string
  /** A folder that anybody can read, and that only the administrator can write. */
  readonly protected: string
  /** A small text file that anybody can read, in the protected folder; nobody can run it. */
  readonly readable: string
  /** A folder that the user cannot read. */
  readonly forbidden: string
  readonly missing: string
  /** A file that is not a regular one and never ends, where the guest has such files. */
  readonly device?: string
}

/** A Linux desktop of the images that this project builds. Other guests override what differs. */
export const posixExpectations: Expectations = {
  programs: ({ shell }) => posixPrograms(shell),
  landmarks: {
    temporary: '/tmp',
    protected: '/etc',
    readable: '/etc/passwd',
    forbidden: '/root',
    missing: '/no/such/file',
    device: '/dev/zero',
  },
  environment: ({ home }) => ({ DISPLAY: ':0', HOME: home }),
  screen: defaultScreen,
  hasPipes: true,
  runsTextAsScript: false,
  canWatchRecursively: true,
  takesTextAnywhere: true,
  hasRfb: true,
  shutDownReason: /shut down/,
  reportsOrderlyShutdown: true,
}
