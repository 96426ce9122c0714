import { defaultScreen, type ScreenSize } from './spec.ts'

/** What a machine is like inside, as far as engines may differ: the conformance suite expects exactly this. */
export interface Surroundings {
  /** Whom programs run as, and where. */
  readonly user: string
  readonly home: string
  readonly display: string
  readonly screen: ScreenSize
  /** Programs and files can also be root's. */
  readonly hasRoot: boolean
  /** The outputs of programs are pipes, which /dev/stderr opens once more. */
  readonly hasPipes: boolean
  /** A file that names no interpreter is taken for a script. */
  readonly runsTextAsScript: boolean
  /** Folders can be watched with all that is below them, and it is told what is a folder. */
  readonly canWatchBelow: boolean
  /** Text can be typed though nothing waits for it; where not, that is refused. */
  readonly takesTextAnywhere: boolean
  /** The screen can be dialled as RFB. */
  readonly hasRfb: boolean
  /** What is said of a machine that was shut down from inside, and whether that is told from a fault. */
  readonly shutDownReason: RegExp
  readonly tellsOrder: boolean
}

/** Of the desktops that images are built for. */
export const desktopSurroundings: Surroundings = {
  user: 'user',
  home: '/home/user',
  display: ':0',
  screen: defaultScreen,
  hasRoot: true,
  hasPipes: true,
  runsTextAsScript: false,
  canWatchBelow: true,
  takesTextAnywhere: true,
  hasRfb: true,
  shutDownReason: /shut down/,
  tellsOrder: true,
}
