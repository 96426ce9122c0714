import type { NewProgram } from './programs.ts'

/** The command by which `screenshot()` of `@e2b/desktop` has a picture of the screen put into a new file, and no other. */
const form = /^scrot --pointer (\/tmp\/screenshot-[A-Za-z0-9]{16}\.png)$/

/** Returns the path of the file that a program is to put a picture of the screen into, if that is all it does. */
export function screenshotPathOf(program: NewProgram): string | undefined {
  const { executable, args, env, workingDirectory, terminal } = program
  const isPlain = workingDirectory === undefined && !terminal && Object.keys(env).length === 0
  const [login, isCommand, command = '', ...more] = args
  const isShell = executable === '/bin/bash' && login === '-l' && isCommand === '-c' && more.length === 0
  return isPlain && isShell ? form.exec(command)?.[1] : undefined
}
