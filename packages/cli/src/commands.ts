import type { CommandDefinition } from './command-definition.ts'

type Load = () => Promise<{ readonly default: CommandDefinition }>

/** The first words of all commands. Each is loaded only when it is used, so that commands start fast. */
export const commands: Readonly<Record<string, Load>> = {
  sandbox: () => import('./commands/sandbox.ts'),
  events: () => import('./commands/events.ts'),
  logs: () => import('./commands/logs.ts'),
  view: () => import('./commands/view.ts'),
  'port-forward': () => import('./commands/port-forward.ts'),
  adb: () => import('./commands/adb.ts'),
}
