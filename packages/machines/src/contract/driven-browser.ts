import type { CommandLine } from './guest-profile.ts'

/** What a browser is started with. */
export interface BrowserChoices {
  readonly proxy?: { readonly server: string; readonly bypass: readonly string[] } | undefined
  /** A language tag, such as de-DE. */
  readonly locale?: string | undefined
  /** Absolute paths of unpacked extensions. */
  readonly extensions?: readonly string[] | undefined
}

/** Where a browser serves the Chrome DevTools Protocol: a port of the machine's loopback, and the path of the browser itself. */
export interface BrowserEndpoint {
  readonly port: number
  readonly path: string
}

/** The exit codes of {@link DrivenBrowser.start} besides 0 and those of other failures. */
export const browserExitCodes = { isOtherwise: 3, invalidChoice: 4 } as const

/**
 * A browser that programs drive over the Chrome DevTools Protocol, with a profile of its own and in a window on the screen of the
 * machine. No page in a browser of the machine can reach the port.
 */
export interface DrivenBrowser {
  /**
   * Starts it unless it runs, and exits when it listens. It runs at most once, however many calls there are. With choices, it must
   * run with exactly these. Exits with {@link browserExitCodes} or, if there is no browser, with `noBrowserExitCode`; the error
   * output says why.
   */
  start(choices?: BrowserChoices): CommandLine
  /** Reads the output of `start`. Undefined if it is anything else, since programs in the machine can change what runs there. */
  endpointIn(stdout: string): BrowserEndpoint | undefined
  /** Ends it, and succeeds if it does not run. */
  readonly stop: CommandLine
}
