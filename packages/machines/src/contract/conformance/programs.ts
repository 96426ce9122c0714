import type { CommandLine } from '../guest-profile.ts'

/**
 * The programs that the conformance suite runs in a machine, one implementation per system. Lines end with `\n` in
 * everything that they print, and numbers of seconds identify a sleeping process in the list of processes.
 */
export interface TestPrograms {
  /** Prints a line. */
  print(line: string): CommandLine
  /** Prints a line to each output and exits with this code; `byName` opens the error output by its name for that. */
  printBoth(stdout: string, stderr: string, exitCode: number, byName: boolean): CommandLine
  /** Prints each argument, followed by `|`. */
  printArguments(args: readonly string[]): CommandLine
  /** Prints the value of each variable, one per line. */
  printVariables(names: readonly string[]): CommandLine
  /** Prints the user's name and the working directory, one per line. */
  readonly printUserAndFolder: CommandLine
  /** Prints 1, 2, 3 and so on, one per line, for ever. */
  readonly count: CommandLine
  /** Copies its input to its output, byte by byte. */
  readonly copyInput: CommandLine
  readonly succeed: CommandLine
  /** Sleeps; `sleepPattern` finds it in the list of processes. */
  sleep(seconds: number): CommandLine
  sleepPattern(...seconds: readonly number[]): RegExp
  /** Prints `up` and then becomes `sleep`. */
  printUpAndSleep(seconds: number): CommandLine
  /** Starts a sleeping child and waits for it. */
  waitForChild(seconds: number): CommandLine
  /** The same, with a child in a session of its own. */
  waitForDetachedChild(seconds: number): CommandLine
  /** Starts a sleeping child, prints its process id and ends. */
  leaveChild(seconds: number): CommandLine
  /** The same, with a child in a session of its own. */
  leaveDetachedChild(seconds: number): CommandLine
  /**
   * Starts sleeping descendants of both kinds that ignore every signal that can be ignored, in its own and in other
   * sessions, prints `up`, and then waits or exits with the code.
   */
  leaveStubbornFamily(seconds: readonly [number, number], then: 'wait' | number): CommandLine
  /** Ends a process by its id. */
  endProcess(pid: string): CommandLine
  /** Prints the terminal's size as `rows columns`, and again when it changes; then it ends. */
  readonly printTerminalSizes: CommandLine
  /** For an interactive shell: prints `asleep`, pauses, and prints `awake`. The text itself contains neither word. */
  readonly typedPause: string
  /** Runs Python code. */
  python(code: string): CommandLine

  /** Prints the name of a file's owner. */
  printOwner(path: string): CommandLine
  makeSymlink(target: string, path: string): CommandLine
  /** Writes to a file in place, so that readers that have it open see the change. */
  overwrite(path: string, text: string): CommandLine
  append(path: string, text: string): CommandLine
  /** Makes a named pipe, where the system has them. */
  makeFifo?(path: string): CommandLine
  /** Makes an empty file whose name is not valid UTF-8, where the system allows that. */
  makeUndecodableName?(folder: string): CommandLine
}
