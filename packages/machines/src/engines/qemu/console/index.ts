export type { ConsoleAccess, ConsoleSocket } from './console-access.ts'
export { ConsoleMachine, type ConsoleReach } from './console-machine.ts'
