import type { NewProgram } from './programs.ts'

const file = /^\/tmp\/screenshot-[A-Za-z0-9]{16}\.png$/

/** The command by which `screenshot()` of `@e2b/desktop` has a picture of the screen put into a new file, up to the path. */
const beginning = 'scrot --pointer '

/** Returns the path of the file that a program is to put a picture of the screen into, if that is all it does. */
export function screenshotPathOf(program: NewProgram): string | undefined {
  const { executable, args, env, workingDirectory, terminal } = program
  const isPlain = workingDirectory === undefined && !terminal && Object.keys(env).length === 0
  const [login, isCommand, command = '', ...more] = args
  const isShell = executable === '/bin/bash' && login === '-l' && isCommand === '-c' && more.length === 0
  const path = command.slice(beginning.length)
  return isPlain && isShell && command === beginning + path && isScreenshot(path) ? path : undefined
}

/** Whether `screenshot()` gives this path to its file, which it removes when it has read it. */
export function isScreenshot(path: string): boolean {
  return file.test(path)
}
