import { Argument, Command, Option } from 'commander'
import type { ArgumentDefinition, CommandDefinition, OptionDefinition } from './command-definition.ts'
import { commands } from './commands.ts'
import { globalOptions } from './global-options.ts'
import { helpFor } from './help.ts'
import { version } from './version.ts'

/** Called when a command line names a command. */
export type Run = (definition: CommandDefinition, leaf: Command) => Promise<void>

/** Loads the commands whose first words are given, or all of them. */
export async function loadCommands(words?: readonly string[]): Promise<CommandDefinition[]> {
  const named = words && Object.keys(commands).filter(name => words.includes(name))
  const names = named && named.length > 0 ? named : Object.keys(commands)
  return Promise.all(names.map(async name => (await commands[name]?.())?.default)).then(loaded =>
    loaded.filter(definition => definition !== undefined),
  )
}

/**
 * The commander program of these commands. It throws instead of ending the process. If the words of a command line are given, it has
 * only those parts of the commands that they name.
 */
export function createProgram(
  definitions: readonly CommandDefinition[],
  run: Run,
  words: readonly string[] = [],
): Command {
  const program = new Command('sandglass')
  program
    .description('Computers for agents: create sandboxes, drive them, and look at them.')
    .version(version, '-V, --version', 'Print the version.')
    .enablePositionalOptions()
    .configureHelp({ sortSubcommands: false })
    .addHelpText('after', helpFor({ examples: firstExamples }))
  prepare(program)
  addOptions(program, globalOptions)
  for (const definition of definitions)
    program.addCommand(build(namedIn(definition, words), run), { hidden: definition.isHidden === true })
  return program
}

/** Leaves out the other parts of a command if a part is named directly after it, because making them takes time. */
function namedIn(definition: CommandDefinition, words: readonly string[]): CommandDefinition {
  const next = words[words.indexOf(definition.name) + 1]
  const named = definition.commands?.filter(({ name, aliases = [] }) =>
    [name, ...aliases].includes(next ?? ''),
  )
  return named && named.length > 0 ? { ...definition, commands: named } : definition
}

const firstExamples = [
  { command: 'sandglass sandbox create --shape small --name demo', explanation: 'Make a machine.' },
  { command: 'sandglass sandbox list', explanation: 'What there is.' },
]

function prepare(built: Command): Command {
  return built
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({ outputError: () => {} })
    .helpOption('-h, --help', 'Show this help.')
    .helpCommand(false)
}

function build(definition: CommandDefinition, run: Run): Command {
  const built = prepare(new Command(definition.name))
  built.summary(definition.summary)
  built.description([definition.summary, definition.details].filter(Boolean).join('\n\n'))
  built.aliases([...(definition.aliases ?? [])])
  for (const argument of definition.arguments ?? []) built.addArgument(argumentOf(argument))
  addOptions(built, definition.options ?? [])
  if (definition.examples) built.addHelpText('after', helpFor(definition))
  if (definition.passesThrough) built.passThroughOptions()
  if (definition.run) {
    built.optionsGroup('Global options:')
    addOptions(built, globalOptions)
    built.action(() => run(definition, built))
  }
  // Commander wants to know this before it gets a command whose options pass through.
  if (definition.commands) built.enablePositionalOptions()
  for (const part of definition.commands ?? []) built.addCommand(build(part, run))
  return built
}

function argumentOf({ syntax, description, choices }: ArgumentDefinition): Argument {
  const argument = new Argument(syntax, description)
  return choices ? argument.choices(choices) : argument
}

/** An option of the command wins over a global one with the same letter. */
function addOptions(built: Command, definitions: readonly OptionDefinition[]): void {
  for (const definition of definitions) {
    const option = optionOf(definition)
    if (built.options.some(({ long }) => long === option.long)) continue
    if (built.options.some(({ short }) => short !== undefined && short === option.short))
      option.short = undefined
    built.addOption(option)
  }
}

function optionOf({ flags, description, choices, parse, isRepeatable }: OptionDefinition): Option {
  const option = new Option(flags, description)
  if (choices) option.choices([...choices])
  const read = parse ?? ((text: string) => text)
  if (isRepeatable)
    option.argParser((text, before: unknown) => [...(Array.isArray(before) ? before : []), read(text)])
  else if (parse) option.argParser(read)
  return option
}
