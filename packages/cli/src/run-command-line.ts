import { type Command, CommanderError } from 'commander'
import type { CommandDefinition } from './command-definition.ts'
import { UsageError } from './failures.ts'
import type { GlobalOptions } from './global-options.ts'
import { describeFailure } from './print-failure.ts'
import { createProgram, loadCommands } from './program.ts'
import { RunningCommand } from './running-command.ts'
import { Style } from './style.ts'

/** Runs a command line and returns its exit code. */
export async function runCommandLine(words: readonly string[], host: NodeJS.Process): Promise<number> {
  ignoreClosedPipes(host)
  try {
    return await parse(words, host)
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    const { env, stderr } = host
    const { exitCode, text } = describeFailure(
      error instanceof CommanderError ? usageErrorFrom(error) : error,
      new Style(stderr, env),
      Boolean(env['SANDGLASS_DEBUG']),
    )
    stderr.write(text)
    return exitCode
  }
}

async function parse(words: readonly string[], host: NodeJS.Process): Promise<number> {
  let exitCode = 0
  const run = async (definition: CommandDefinition, leaf: Command) => {
    const { args, options, globals } = invocationOf(leaf)
    const running = new RunningCommand(globals, host)
    exitCode = await running.run(async context => (await definition.run?.(context, { args, options })) ?? 0)
  }
  const isOnlyVersion = words[0] === '--version' || words[0] === '-V'
  const program = createProgram(isOnlyVersion ? [] : await loadCommands(words), run, words)
  if (words.length === 0) {
    program.outputHelp()
    return 0
  }
  await program.parseAsync(words, { from: 'user' })
  return exitCode
}

/** Global options stand before or after the words of the command. */
function invocationOf(leaf: Command) {
  const own = leaf.opts()
  let top = leaf
  while (top.parent) top = top.parent
  const globals: GlobalOptions = { ...top.opts(), ...own }
  return { args: leaf.args, options: own, globals }
}

function usageErrorFrom({ message, code }: CommanderError): UsageError {
  if (code === 'commander.help') return new UsageError('What to do is missing: add one of these commands.')
  const [first = '', ...rest] = message.replace(/^error: /, '').split('\n')
  const sentence = first.charAt(0).toUpperCase() + first.slice(1)
  const suggestion = rest.join(' ').replace(/^\(|\)$/g, '')
  return new UsageError(
    sentence,
    [suggestion, 'Add --help to see how the command is used.'].filter(Boolean).join('\n'),
  )
}

/** `sandglass … | head` ends the reader early. That is not an error; there is nobody left to write to. */
function ignoreClosedPipes({ stdout, stderr, exit }: NodeJS.Process): void {
  for (const stream of [stdout, stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') exit(0)
      throw error
    })
}
