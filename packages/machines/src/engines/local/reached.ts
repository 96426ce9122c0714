export {
  type AgentTimeouts,
  agentTimeouts,
  type Ending,
  type Guest,
  type GuestAccess,
  type GuestConsole,
  type GuestSocket,
} from './guest/guest.ts'
export { LocalMachine, type LocalReach } from './local-machine.ts'
